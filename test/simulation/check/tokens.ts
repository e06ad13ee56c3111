import type { Check, Violation } from '../history/history.js';
import { clocksWidthMs, isGrant, leaseWrites, numberIn, textIn } from './lease-writes.js';

/**
 * I1: tokens of one name strictly increase in grant order, over releases, takeovers, breaks, TTL deletions, and a table
 * that is restored from a backup.
 */
export const checkTokens: Check = (history) => {
  const violations: Violation[] = [];
  const last = new Map<string, number>();
  const granted = new Set<string>();
  /** When the latest grant of a name was made up, or its item, which begins with a token that nobody has. */
  const madeUp = new Map<string, number>();
  const tell = (atMs: number, what: string) => violations.push({ rule: 'I1', atMs, what });
  for (const write of leaseWrites(history)) {
    const { atMs, key, before, after, request } = write;
    const token = numberIn(after, 'version');
    if (!request || !after) continue;
    if (token === undefined) {
      tell(atMs, `${key} has no token after ${request.operation} #${request.number}`);
      continue;
    }
    const highest = last.get(key) ?? Number.NEGATIVE_INFINITY;
    if (before && token < numberIn(before, 'version')!) tell(atMs, `the token of ${key} falls to ${token}`);
    if (isGrant(write)) {
      // Deleted by hand, and granted again within the clocks' width: the one exception (section 2).
      const isExcused =
        history.premises.deletedEarlyAtMs !== undefined &&
        request.firstSentAtMs <= (madeUp.get(key) ?? 0) + clocksWidthMs(history);
      if (token <= highest && !isExcused)
        tell(atMs, `${key} is granted with token ${token} after ${highest}`);
      // It is a time: what a clock knows too vaguely grants nothing.
      const behindMs = request.firstSentAtMs - token;
      if (history.premises.clocksHold && behindMs > clocksWidthMs(history))
        tell(atMs, `${key} is granted with token ${token}, ${behindMs.toFixed(0)} ms behind the time`);
      // An attempt that finds its own earlier grant adopts it: the holder would not learn of a second token.
      const leaseId = textIn(after, 'leaseId');
      if (leaseId === textIn(before, 'leaseId'))
        violations.push({
          rule: 'adoption',
          atMs,
          what: `${key}: ${leaseId} is granted anew while it stands`,
        });
      granted.add(`${textIn(after, 'leaseId')} ${token}`);
    }
    last.set(key, Math.max(highest, token));
    if (isGrant(write) || !before) madeUp.set(key, Math.max(madeUp.get(key) ?? 0, request.firstSentAtMs));
  }
  for (const record of history.records) {
    if (record.kind !== 'handed') continue;
    if (granted.has(`${record.leaseId} ${record.token}`)) continue;
    tell(record.atMs, `${record.leaseId} is handed out with token ${record.token}, which was never granted`);
  }
  return violations;
};
