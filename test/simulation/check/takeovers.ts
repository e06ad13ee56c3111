import type { CallRecord, Check, Violation } from '../history/history.js';
import { goesOn } from './hand-overs.js';
import { isGrant, leaseWrites, numberIn, numberOfId, processOf, Standing, textIn } from './lease-writes.js';

/**
 * Section 4: a lease that runs is taken over by its own owner only, or by who goes on with it, each naming the lease that
 * it was shown; that of somebody else only after its end by every front end's clock, or where it has stood unchanged for its
 * length, and who holds it is still the one that it was granted to.
 */
export const checkTakeovers: Check = (history) => {
  const { clocksHold, skewMs, isService } = history.premises;
  const violations: Violation[] = [];
  const grantedAtMs = new Map<string, number>();
  const calls = history.records.filter((record) => record.kind === 'call');
  const handedOver = new Set(
    calls.flatMap(({ what, outcome, leaseId }) => (what === 'handOver' && outcome === 'ok' ? [leaseId] : [])),
  );
  const stands = new Standing();
  for (const write of leaseWrites(history)) {
    const givenUpMs = stands.givenUpMs(write);
    if (!isGrant(write)) continue;
    const { atMs, key, before, after, request } = write;
    const [from, to] = [textIn(before, 'leaseId'), textIn(after, 'leaseId')!];
    const isNew = !grantedAtMs.has(to);
    if (isNew) grantedAtMs.set(to, atMs);
    const tell = (rule: string, what: string) => violations.push({ rule, atMs, what: `${key}: ${what}` });
    if (before && textIn(before, 'lastLeaseId') === to)
      tell('section 4', `${to} was given back, and takes the lock again`);
    if (from === undefined || !request) continue;
    const endsMs = numberIn(before, 'expiresAt')!;
    const isOwn = textIn(before, 'owner') === textIn(after, 'owner') || goesOn(write);
    const isWatched = !handedOver.has(from) && !isService && atMs >= givenUpMs;
    if (!isOwn && clocksHold && !isWatched && atMs <= endsMs + skewMs / 2) {
      tell('I2', `${to} takes over from ${from} ${(endsMs - atMs).toFixed(0)} ms before its end`);
    }
    if (isOwn && clocksHold && atMs <= endsMs && (grantedAtMs.get(from) ?? atMs) > request.sentAtMs) {
      tell('supersede', `${to} evicts ${from}, which was granted after this write was sent`);
    }
    // A hand-over may be gone on with again by whoever has the JSON, at any time: the later one counts.
    const isSuperseded = isOwn && !goesOn(write) && clocksHold && atMs <= endsMs;
    if (isSuperseded && (grantedAtMs.get(from) ?? atMs) > toEnd(to, calls)) {
      tell('supersede', `${to} evicts ${from}, which was granted after nobody waited for it any more`);
    }
  }
  return violations;
};

/** When the call that a lease was acquired by came to its end. */
function toEnd(leaseId: string, calls: readonly CallRecord[]): number {
  const [process, number] = [processOf(leaseId), numberOfId(leaseId)];
  const call = calls.find(
    (one) => one.process === process && one.firstId < number && number <= one.lastId && one.isAlone,
  );
  return call?.atMs ?? Number.POSITIVE_INFINITY;
}
