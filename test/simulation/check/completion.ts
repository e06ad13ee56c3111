import type { Check, Violation } from '../history/history.js';
import { isGrant, leaseWrites, textIn } from './lease-writes.js';

/** I7: a completed name is never granted again before it is reopened; what is told as completed is. */
export const checkCompletion: Check = (history) => {
  const violations: Violation[] = [];
  const completedBy = new Set<string>();
  for (const write of leaseWrites(history)) {
    const { atMs, key, before, after } = write;
    if (before?.completedAt && isGrant(write)) {
      violations.push({ rule: 'I7', atMs, what: `${key} is granted although it is completed` });
    }
    if (after?.completedAt && !before?.completedAt) completedBy.add(textIn(after, 'lastLeaseId')!);
  }
  for (const record of history.records) {
    if (record.kind !== 'call' || record.what !== 'complete' || record.outcome !== 'ok') continue;
    if (completedBy.has(record.leaseId!)) continue;
    const what = `${record.name} is told as completed by ${record.leaseId}, which never did it`;
    violations.push({ rule: 'I7', atMs: record.atMs, what });
  }
  return violations;
};
