import type { CallRecord, Check, Violation, WriteRecord } from '../history/history.js';
import { isGrant, leaseWrites, numberIn, numberOfId, processOf, Standing, textIn } from './lease-writes.js';

/**
 * Section 4, "free, but not yet": a release before `minHoldMs` is over says from when on the lock can be had; nobody is granted
 * it before that; and who wants a lock delay takes a lease that ran out only so much later.
 */
export const checkFreeNotYet: Check = (history) => {
  const { clocksHold, skewMs, deletedEarlyAtMs = Number.POSITIVE_INFINITY } = history.premises;
  const violations: Violation[] = [];
  const calls = history.records.filter((record) => record.kind === 'call');
  const minHolds = new Map(calls.map(({ leaseId, minHoldMs }) => [leaseId, minHoldMs]));
  const handed = new Set(
    history.records.map((record) => (record.kind === 'handed' ? record.leaseId : undefined)),
  );
  const stands = new Standing();
  for (const write of leaseWrites(history)) {
    const givenUpMs = stands.givenUpMs(write);
    const { atMs, key, before, after, request } = write;
    if (!request || atMs >= deletedEarlyAtMs) continue;
    const tell = (what: string) => violations.push({ rule: 'not yet', atMs, what: `${key}: ${what}` });
    const [from, to] = [textIn(before, 'leaseId'), textIn(after, 'leaseId')];
    if (isGrant(write)) {
      const freeFrom = numberIn(before, 'freeFrom') ?? Number.NEGATIVE_INFINITY;
      if (clocksHold && atMs <= freeFrom + skewMs / 2)
        tell(`${to} is granted it ${(freeFrom - atMs).toFixed(0)} ms before anybody may`);
      if (numberIn(after, 'freeFrom') !== undefined) tell(`${to} holds what is free from then on`);
      const delayMs = delayOf(to!, calls);
      const isOwn = textIn(before, 'owner') === textIn(after, 'owner');
      const endsMs = numberIn(before, 'expiresAt');
      if (from === undefined || endsMs === undefined || isOwn || delayMs === 0 || !clocksHold) continue;
      if (atMs <= Math.min(endsMs + skewMs / 2, givenUpMs) + delayMs)
        tell(
          `${to} takes over ${(atMs - endsMs).toFixed(0)} ms after the end, and wanted ${delayMs.toFixed(0)}`,
        );
      continue;
    }
    const minHoldMs = from === undefined || to !== undefined ? 0 : (minHolds.get(from) ?? 0);
    if (minHoldMs === 0 || !handed.has(from) || !isRelease(write, from!)) continue;
    const freeFrom = (numberIn(before, 'acquiredAt') ?? 0) + minHoldMs;
    // Whether it was over is asked when the release is made up.
    const isOver = !clocksHold || request.firstSentAtMs > freeFrom - skewMs;
    if (isOver ? numberIn(after, 'freeFrom') === undefined : false) continue;
    if (Math.abs((numberIn(after, 'freeFrom') ?? 0) - freeFrom) < 0.01) continue;
    tell(
      `${from} is released under a least hold of ${minHoldMs.toFixed(0)} ms, and that is not written down`,
    );
  }
  return violations;
};

/** Not a completion, and nobody broke it. */
function isRelease({ after }: WriteRecord, leaseId: string): boolean {
  return numberIn(after, 'completedAt') === undefined && textIn(after, 'brokenLeaseId') !== leaseId;
}

/** What the call that a lease was acquired by wanted. */
function delayOf(leaseId: string, calls: readonly CallRecord[]): number {
  const [process, number] = [processOf(leaseId), numberOfId(leaseId)];
  const call = calls.find(
    (one) => one.process === process && one.firstId < number && number <= one.lastId && one.isAlone,
  );
  return call?.lockDelayMs ?? 0;
}
