import type { Check, Violation } from '../history/history.js';
import { isGrant, leaseWrites, numberOfId, processOf, textIn } from './lease-writes.js';

/** A network without faults needs no longer for the release that an acquire leaves behind. */
const withinMs = 2_000;

/** Section 4: an acquire that gives up gives its lease back at once. Looked at where nothing else goes wrong. */
export const checkGivenBack: Check = (history) => {
  if (!history.premises.isCalm) return [];
  const violations: Violation[] = [];
  const handed = new Set(
    history.records.map((record) => (record.kind === 'handed' ? record.leaseId : undefined)),
  );
  const writes = leaseWrites(history);
  const lastMs = history.records.at(-1)?.atMs ?? 0;
  const crashedAtMs = new Map(
    history.records.flatMap((record) => (record.kind === 'crash' ? [[record.process, record.atMs]] : [])),
  );
  for (const write of writes) {
    const leaseId = textIn(write.after, 'leaseId');
    if (leaseId === undefined || !isGrant(write) || handed.has(leaseId)) continue;
    const gaveUp = history.records.find(
      (record) =>
        record.kind === 'call' &&
        record.process === processOf(leaseId) &&
        record.lastId >= numberOfId(leaseId) &&
        record.atMs >= write.atMs - withinMs &&
        record.outcome !== 'ok',
    );
    const dueMs = Math.max(gaveUp?.atMs ?? Number.POSITIVE_INFINITY, write.atMs) + withinMs;
    const end = writes.find(
      (later) =>
        later.atMs > write.atMs &&
        textIn(later.before, 'leaseId') === leaseId &&
        textIn(later.after, 'leaseId') !== leaseId,
    );
    const aliveUntilMs = Math.min(lastMs, crashedAtMs.get(processOf(leaseId)) ?? lastMs);
    if (aliveUntilMs < dueMs || (end && end.atMs <= dueMs)) continue;
    violations.push({
      rule: 'section 4',
      atMs: dueMs,
      what: `${leaseId}, which nobody waits for any more, is not given back`,
    });
  }
  return violations;
};
