import type { Check, Violation } from '../history/history.js';
import { clocksWidthMs, isGrant, leaseWrites, textIn } from './lease-writes.js';

/**
 * Section 2: an acquire that comes late takes no lock. No write is granted twice, and none that was made up before
 * somebody else's that was granted meanwhile, beyond the clocks' width.
 */
export const checkLateAcquires: Check = (history) => {
  const { clocksHold, deletedEarlyAtMs = Number.POSITIVE_INFINITY } = history.premises;
  const violations: Violation[] = [];
  const applied = new Set<unknown>();
  /** By name: of all grants so far the one that was made up last. */
  const latest = new Map<string, { readonly leaseId: string; readonly madeUpMs: number }>();
  for (const write of leaseWrites(history)) {
    const { atMs, key, after, request } = write;
    if (!isGrant(write) || !request || atMs >= deletedEarlyAtMs) continue;
    const leaseId = textIn(after, 'leaseId')!;
    const tell = (what: string) =>
      violations.push({ rule: 'late acquire', atMs, what: `${key}: ${leaseId} ${what}` });
    if (applied.has(request.input)) tell('is granted twice by one write');
    applied.add(request.input);
    const madeUpMs = request.firstSentAtMs;
    const other = latest.get(key);
    const lateMs = other && other.leaseId !== leaseId ? other.madeUpMs - madeUpMs : 0;
    if (clocksHold && lateMs > clocksWidthMs(history)) {
      tell(`takes the lock by a write that is ${lateMs.toFixed(0)} ms older than that of ${other!.leaseId}`);
    }
    if (!other || madeUpMs > other.madeUpMs) latest.set(key, { leaseId, madeUpMs });
  }
  return violations;
};
