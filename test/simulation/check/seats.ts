import type { Check, Violation } from '../history/history.js';
import { isGrant, numberIn, processOf, textIn } from './lease-writes.js';
import { sliceWrites } from './slice-facts.js';

/** Two instances' clocks may disagree by so much about what came first. */
const uncertaintyMs = 3_000;

/** A retried seat supersedes its own earlier lease, never that of an instance that was started later. */
export const checkSeats: Check = (history) => {
  const violations: Violation[] = [];
  const firstGrantMs = new Map<string, number>();
  const grantedAtMs = new Map<string, number>();
  for (const write of sliceWrites(history)) {
    if (!isGrant(write) || !write.request) continue;
    const { atMs, key, before, after } = write;
    const [from, to] = [textIn(before, 'leaseId'), textIn(after, 'leaseId')!];
    const atWorkSinceMs = firstGrantMs.get(processOf(to)) ?? atMs;
    firstGrantMs.set(processOf(to), atWorkSinceMs);
    grantedAtMs.set(to, atMs);
    const isEviction = from !== undefined && textIn(before, 'owner') === textIn(after, 'owner');
    if (!isEviction || atMs > numberIn(before, 'expiresAt')!) continue;
    if ((grantedAtMs.get(from) ?? 0) <= atWorkSinceMs + uncertaintyMs) continue;
    violations.push({
      rule: 'seats',
      atMs,
      what: `${key}: ${to} evicts ${from} of an instance that was started later`,
    });
  }
  return violations;
};
