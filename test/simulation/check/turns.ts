import type { CallRecord, Check, History, PauseRecord, Violation, WriteRecord } from '../history/history.js';
import { leaseWrites, numberIn } from './lease-writes.js';

/** A header's second, the front ends' agreement and a round trip: how late a waiter knows that a lease is over, at most. */
const calmWidthMs = 1_300;
/** Some requests and answers of a calm network, and timers that fire late by drift. */
const tripsMs = 250;
/** Permits are read in batches, of which the store may leave some unread: for one in ten, and seldom so often in a row. */
const maxLooksForPermits = 4;
/** A wait is measured by clocks that drift. */
const drift = 1.002;

/**
 * Section 6, where nothing is wrong with the network: while somebody waits who runs, a lock that can be had is had by somebody
 * within a look; and no call lasts longer than its caller was willing to wait, and the requests of its last try.
 */
export const checkTurns: Check = (history) => {
  const { premises, records } = history;
  const { isNetworkCalm, clocksHold, wallSteps, pollCeilingMs = 0 } = premises;
  // What somebody with too many rights deletes, or a clock that is set, is no measure.
  if (!isNetworkCalm || !clocksHold || wallSteps || premises.deletedEarlyAtMs !== undefined) return [];
  const violations: Violation[] = [];
  const pauses = records.filter((record) => record.kind === 'pause');
  const restoredMs = records.filter(({ kind }) => kind === 'restore').map(({ atMs }) => atMs);
  for (const call of records) {
    if (call.kind !== 'call' || call.waitMs === undefined || !call.isAlone || /^with/.test(call.what))
      continue;
    if (call.what === 'once' || isPaused(pauses, call)) continue;
    if (restoredMs.some((atMs) => atMs >= call.sinceMs && atMs <= call.atMs)) continue;
    const tookMs = call.atMs - call.sinceMs;
    const maxMs = drift * call.waitMs + calmWidthMs + tripsMs;
    if (tookMs > maxMs) {
      const what = `${call.process} waits ${tookMs.toFixed(0)} ms by ${call.what}, and was willing to wait ${call.waitMs}`;
      violations.push({ rule: 'turns', atMs: call.atMs, what });
    }
    // Who stands in line waits for those before it, too: see the lines.
    if (call.isFair || call.name === '') continue;
    const idleMs = Math.max(0, ...wantedNames(call).map((name) => longestIdle(history, call, name)));
    const looks = call.permits === undefined ? 1 : maxLooksForPermits;
    if (idleMs > drift * pollCeilingMs * looks + tripsMs) {
      const what = `${call.name} could be had for ${idleMs.toFixed(0)} ms, while ${call.process} waits for it`;
      violations.push({ rule: 'turns', atMs: call.atMs, what });
    }
  }
  return violations;
};

function isPaused(pauses: readonly PauseRecord[], { process, sinceMs, atMs }: CallRecord): boolean {
  return pauses.some((pause) => pause.process === process && pause.atMs <= atMs && pause.untilMs >= sinceMs);
}

/** The leases each of which is what the call waits for; of readers and a writer, who give way to each other, none. */
function wantedNames({ what, name, permits }: CallRecord): readonly string[] {
  if (/^(read|write)\b/.test(what)) return [];
  return permits === undefined ? [name] : Array.from({ length: permits }, (_, i) => `${name}#${i}`);
}

/** How long the lock could be had at a stretch, in milliseconds, while the call waited. */
function longestIdle(history: History, { sinceMs, atMs, lockDelayMs }: CallRecord, name: string): number {
  const writes = leaseWrites(history).filter(({ key }) => key === name);
  let longestMs = 0;
  let before: WriteRecord | undefined;
  for (const write of [...writes, undefined]) {
    const fromMs = Math.max(sinceMs, freeFrom(before, history, lockDelayMs));
    const untilMs = Math.min(atMs, write?.atMs ?? atMs);
    longestMs = Math.max(longestMs, untilMs - fromMs);
    before = write;
  }
  return longestMs;
}

/**
 * From when on the lock can be had as a write leaves it, by everybody's clock.
 *
 * @param lockDelayMs how much later whoever asks takes a lease that ran out
 */
export function freeFrom(write: WriteRecord | undefined, { premises }: History, lockDelayMs = 0): number {
  const after = write?.after;
  if (after?.completedAt) return Number.POSITIVE_INFINITY;
  const widthMs = 2 * premises.skewMs + calmWidthMs;
  const endsMs = numberIn(after, 'expiresAt');
  if (endsMs !== undefined) return endsMs + lockDelayMs + widthMs;
  const fromMs = numberIn(after, 'freeFrom');
  return fromMs === undefined ? (write?.atMs ?? 0) : Math.max(write!.atMs, fromMs + widthMs);
}
