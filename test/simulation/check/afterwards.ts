import type { Check, Violation } from '../history/history.js';
import { processOf } from './lease-writes.js';

/** Calls after which a lease is over. */
const ended = new Set(['release released', 'handOver ok']);

/** Sections 4 and 5: after its end no request for a lease; one that was lost locally is never renewed again. */
export const checkAfterwards: Check = ({ records }) => {
  const violations: Violation[] = [];
  const released = new Set<string>();
  const lost = new Set<string>();
  for (const record of records) {
    if (record.kind === 'call' && ended.has(`${record.what} ${record.outcome}`)) {
      released.add(record.leaseId!);
    }
    if (record.kind === 'survey') {
      for (const { leaseId, isTold } of record.leases) if (isTold) lost.add(leaseId);
    }
    if (record.kind === 'sent' && record.beginsRenewal && lost.has(record.leaseId)) {
      const what = `${record.process} renews ${record.leaseId} after it was told of its loss`;
      violations.push({ rule: 'section 4', atMs: record.atMs, what });
    }
    if (record.kind !== 'sent' || !released.has(record.leaseId)) continue;
    // An operator may break what is over already.
    if (record.process !== processOf(record.leaseId)) continue;
    const what = `${record.process} sends a request for ${record.leaseId} after its end`;
    violations.push({ rule: 'section 5', atMs: record.atMs, what });
  }
  return violations;
};
