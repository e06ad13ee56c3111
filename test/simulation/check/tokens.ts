import type { Check, Violation } from '../history/history.js';
import { isGrant, leaseWrites, numberIn, textIn } from './lease-writes.js';

/** I1: tokens of one name strictly increase in grant order, over releases, takeovers, breaks, TTL deletions. */
export const checkTokens: Check = (history) => {
  const violations: Violation[] = [];
  const last = new Map<string, number>();
  const granted = new Set<string>();
  const tell = (atMs: number, what: string) => violations.push({ rule: 'I1', atMs, what });
  for (const write of leaseWrites(history)) {
    const { atMs, key, before, after, request } = write;
    // Deleted by hand before its time: a request from before may carry an old seed. Beyond the protocol.
    if (!after && history.premises.deletedEarlyAtMs === atMs) last.delete(key);
    const token = numberIn(after, 'version');
    if (!request || !after) continue;
    if (token === undefined) {
      tell(atMs, `${key} has no token after ${request.operation} #${request.number}`);
      continue;
    }
    const highest = last.get(key) ?? Number.NEGATIVE_INFINITY;
    if (before && token < numberIn(before, 'version')!) tell(atMs, `the token of ${key} falls to ${token}`);
    if (isGrant(write)) {
      if (token <= highest) tell(atMs, `${key} is granted with token ${token} after ${highest}`);
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
  }
  for (const record of history.records) {
    if (record.kind !== 'handed') continue;
    if (granted.has(`${record.leaseId} ${record.token}`)) continue;
    tell(record.atMs, `${record.leaseId} is handed out with token ${record.token}, which was never granted`);
  }
  return violations;
};
