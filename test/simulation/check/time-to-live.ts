import type { Check, Violation } from '../history/history.js';
import { leaseWrites, numberIn } from './lease-writes.js';

/** What is computed is sent later, by hours if its process sleeps in between. */
const slackMs = 13 * 3_600_000;

/** Section 1: `ttl` is a retention behind the end of the lease, or behind the write that ended it, or behind the time from which on it can be had; in every item. */
export const checkTimeToLive: Check = (history) => {
  const { retentionMs, skewMs, clocksHold } = history.premises;
  const violations: Violation[] = [];
  for (const { atMs, key, after, request } of leaseWrites(history)) {
    if (!after || !request) continue;
    // Kept for good: nothing removes what has no `ttl`, and only what is completed may have none.
    if (numberIn(after, 'ttl') === undefined && numberIn(after, 'completedAt') !== undefined) continue;
    const ttl = (numberIn(after, 'ttl') ?? 0) * 1000;
    const expiresAt = numberIn(after, 'expiresAt');
    const usedMs =
      expiresAt ?? numberIn(after, 'freeFrom') ?? (clocksHold ? request.sentAtMs - skewMs - slackMs : 0);
    if (ttl >= usedMs + retentionMs) continue;
    const what = `${key} may be removed ${Math.round(usedMs + retentionMs - ttl)} ms before its retention is over`;
    violations.push({ rule: 'section 1', atMs, what });
  }
  return violations;
};
