import type { Check, Violation } from '../history/history.js';
import { leaseWrites, numberIn, processOf, textIn } from './lease-writes.js';

/** I5: `expiresAt` of one `leaseId` never falls; a checkpoint never goes back, and one that was saved is there. */
export const checkMonotony: Check = (history) => {
  const violations: Violation[] = [];
  const written = new Set<string>();
  // A break leaves the mark that a release leaves: one that comes after it takes it for its own.
  const broken = new Set<string>();
  const tell = (atMs: number, what: string) => violations.push({ rule: 'I5', atMs, what });
  for (const { atMs, key, before, after, request } of leaseWrites(history)) {
    if (!request || !after) continue;
    const ended = textIn(before, 'leaseId');
    if (ended !== undefined && !after.leaseId && processOf(ended) !== request.process) broken.add(ended);
    const leaseId = textIn(after, 'leaseId');
    if (leaseId !== undefined && leaseId === textIn(before, 'leaseId')) {
      const [from, to] = [numberIn(before, 'expiresAt')!, numberIn(after, 'expiresAt')!];
      if (to < from) tell(atMs, `expiresAt of ${leaseId} falls by ${from - to} ms`);
    }
    const checkpoint = numberIn(after, 'checkpoint');
    const earlier = numberIn(before, 'checkpoint');
    if (earlier !== undefined && (checkpoint ?? -1) < earlier) {
      tell(atMs, `the checkpoint of ${key} goes back from ${earlier} to ${checkpoint}`);
    }
    if (checkpoint !== undefined) written.add(`${key} ${checkpoint}`);
  }
  for (const record of history.records) {
    if (record.kind !== 'call' || record.checkpoint === undefined) continue;
    if (record.outcome !== 'ok' && record.outcome !== 'released') continue;
    if (broken.has(record.leaseId!) || written.has(`${record.name} ${record.checkpoint}`)) continue;
    tell(
      record.atMs,
      `${record.what} of checkpoint ${record.checkpoint} is told as done, but was never written`,
    );
  }
  return violations;
};
