import type { CallRecord, Check, History, Violation } from '../history/history.js';
import { isGrant, leaseWrites, numberOfId, processOf, textIn } from './lease-writes.js';

/** A process that runs for so long after it knows has begun to give a lease back. */
const graceMs = 2_000;

/**
 * Section 4: a lease in the table that nobody holds is being given back by the process that asked for it, for as long as that
 * runs. What comes late, after its call and all that this did about it, is another rule's.
 */
export const checkAbandoned: Check = (history) => {
  const violations: Violation[] = [];
  const facts = new Facts(history);
  for (const write of leaseWrites(history)) {
    const leaseId = textIn(write.after, 'leaseId');
    if (leaseId === undefined || !isGrant(write) || !write.request || write.request.isLate) continue;
    if (facts.handed.has(leaseId)) continue;
    // An attempt of the lock service's own, after the caller has asked for the end.
    if (history.premises.isService) continue;
    const call = facts.findCall(leaseId);
    // A lease that was handed over can be gone on with again, by who has the JSON: nobody gives it back.
    // Two scripts of a process make ids up by turns: whose it is nobody can tell.
    if (!call?.isAlone || call.what === 'resume') continue;
    const knownMs = Math.max(write.atMs, call.atMs);
    if (!facts.runsThrough(processOf(leaseId), knownMs, knownMs + graceMs)) continue;
    if (facts.isEndSent(leaseId, call.sinceMs) || facts.isGone(write.key, leaseId, knownMs + graceMs))
      continue;
    const what = `${write.key} carries ${leaseId}, which nobody holds or gives back`;
    violations.push({ rule: 'abandoned', atMs: knownMs, what });
  }
  return violations;
};

/** What is known of processes and their leases. */
class Facts {
  readonly handed = new Set<string>();
  readonly #history: History;
  readonly #calls = new Map<string, CallRecord[]>();
  readonly #endsSentMs = new Map<string, number>();
  readonly #crashedAtMs = new Map<string, number>();
  readonly #pauses: { readonly process: string; readonly atMs: number; readonly untilMs: number }[] = [];

  constructor(history: History) {
    this.#history = history;
    for (const record of history.records) {
      if (record.kind === 'handed') this.handed.add(record.leaseId);
      if (record.kind === 'crash') this.#crashedAtMs.set(record.process, record.atMs);
      if (record.kind === 'pause') this.#pauses.push(record);
      if (record.kind === 'sent' && record.ends) this.#endsSentMs.set(record.leaseId, record.atMs);
      if (record.kind !== 'call') continue;
      const calls = this.#calls.get(record.process) ?? [];
      this.#calls.set(record.process, calls);
      calls.push(record);
    }
  }

  /** The call that a lease was asked for by, where it has ended. */
  findCall(leaseId: string): CallRecord | undefined {
    const number = numberOfId(leaseId);
    const calls = this.#calls.get(processOf(leaseId)) ?? [];
    return calls.find(({ firstId, lastId }) => firstId < number && number <= lastId);
  }

  isEndSent(leaseId: string, sinceMs: number): boolean {
    return (this.#endsSentMs.get(leaseId) ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  runsThrough(process: string, fromMs: number, untilMs: number): boolean {
    const { records } = this.#history;
    if ((records.at(-1)?.atMs ?? 0) < untilMs) return false;
    if ((this.#crashedAtMs.get(process) ?? Number.POSITIVE_INFINITY) <= untilMs) return false;
    return !this.#pauses.some(
      (pause) => pause.process === process && pause.atMs <= untilMs && pause.untilMs >= fromMs,
    );
  }

  /** Ended, taken over or deleted by then. */
  isGone(key: string, leaseId: string, byMs: number): boolean {
    return leaseWrites(this.#history).some(
      ({ key: other, before, after, atMs }) =>
        other === key &&
        atMs <= byMs &&
        textIn(before, 'leaseId') === leaseId &&
        textIn(after, 'leaseId') !== leaseId,
    );
  }
}
