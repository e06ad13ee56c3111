import { type History, ofKind } from '../history/read-history.js';
import { grouped } from './grouped.js';
import type { Violation } from './violation.js';

/** Whoever shows no sign of life for longer may have been passed over, in milliseconds. */
const silenceMs = 600;
/** A grant may have been on its way for as long as its taker was silent. */
const onItsWayMs = 2 * silenceMs;

/** One go of a worker's at standing in line, as it wrote it down. All times by the machine's clock, in milliseconds. */
interface Turn {
  readonly turn: string;
  readonly askedMs: number;
  /** It was told that its ticket stands in the line. */
  readonly queuedMs: number | undefined;
  readonly grantedMs: number | undefined;
  /** No longer in line. */
  readonly leftMs: number;
  /** Its requests were answered from then on … */
  readonly looks: readonly { readonly sinceMs: number; readonly atMs: number }[];
}

/** Whom of those that stood in line there was anything to say about. */
export interface LineOrder {
  readonly turns: number;
  /** Grants, while somebody who had come before was alive all the time, or had been granted it before. */
  readonly compared: number;
  readonly violations: readonly Violation[];
}

/**
 * First come, first served among the living: whoever was in line before somebody else asked, and was alive from then on,
 * is granted the lock first. Only what is beyond doubt counts: both show signs of life all the time.
 */
export function lineOrder(history: History): LineOrder {
  const violations: Violation[] = [];
  let [turns, compared] = [0, 0];
  const asks = ofKind(history, 'asks');
  for (const [name, asked] of grouped(asks, (record) => record.name)) {
    const all = turnsOf(history, name, asked);
    turns += all.filter(({ grantedMs }) => grantedMs !== undefined).length;
    for (const later of all) {
      const grantedMs = later.grantedMs;
      if (grantedMs === undefined || !isAlive(later, later.askedMs, grantedMs)) continue;
      for (const earlier of all) {
        const { queuedMs } = earlier;
        if (queuedMs === undefined || queuedMs >= later.askedMs || earlier.leftMs < later.askedMs) continue;
        if (!isAlive(earlier, queuedMs, Math.min(earlier.grantedMs ?? earlier.leftMs, grantedMs))) continue;
        compared += 1;
        const hadItsTurn = earlier.grantedMs !== undefined && earlier.grantedMs < grantedMs;
        // Who gave up is out of the line, and who was granted it next is not told apart for sure.
        if (hadItsTurn || (earlier.leftMs < grantedMs + onItsWayMs && earlier.grantedMs === undefined))
          continue;
        violations.push({
          kind: 'line-order',
          what: `"${name}" was granted to ${later.turn}, who asked after ${earlier.turn} stood in line and waited on`,
          evidence: [earlier, later].map(({ looks, ...turn }) => ({ ...turn, looks: looks.length })),
        });
      }
    }
  }
  return { turns, compared, violations };
}

function turnsOf(
  history: History,
  name: string,
  asks: readonly { readonly turn: string; readonly atMs: number }[],
): readonly Turn[] {
  const byTurn = <Of extends { readonly name: string; readonly turn: string }>(records: readonly Of[]) =>
    grouped(
      records.filter((record) => record.name === name),
      (record) => record.turn,
    );
  const queued = byTurn(ofKind(history, 'queued'));
  const granted = byTurn(ofKind(history, 'turn'));
  const left = byTurn(ofKind(history, 'line-left'));
  const looked = byTurn(ofKind(history, 'looked'));
  return asks.map(({ turn, atMs: askedMs }) => {
    const looks = looked.get(turn) ?? [];
    return {
      turn,
      askedMs,
      queuedMs: queued.get(turn)?.[0]?.atMs,
      grantedMs: granted.get(turn)?.[0]?.atMs,
      // A process that was killed says nothing more.
      leftMs: left.get(turn)?.[0]?.atMs ?? looks.at(-1)?.atMs ?? askedMs,
      looks: looks.map(({ sinceMs, atMs }) => ({ sinceMs, atMs })),
    };
  });
}

/** Whether it shows signs of life from one moment to the other, and soon after. */
function isAlive({ looks }: Turn, fromMs: number, untilMs: number): boolean {
  let aliveMs = fromMs;
  for (const { sinceMs, atMs } of looks) {
    if (atMs < fromMs) continue;
    if (sinceMs > aliveMs + silenceMs || atMs > sinceMs + silenceMs) return false;
    aliveMs = atMs;
    if (aliveMs >= untilMs) return true;
  }
  return aliveMs + silenceMs >= untilMs;
}
