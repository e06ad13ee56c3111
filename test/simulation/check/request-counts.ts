import type { CallRecord, Check, History, Violation } from '../history/history.js';
import { isGrant, leaseWrites, processOf, textIn } from './lease-writes.js';

/** Where nothing goes wrong a clock's interval is a header's second wide, and a round trip. */
const calmWidthMs = 1_200;

/**
 * I8: an uncontended cycle is exactly two writes and no reads, a refused try one write; the client's first request aside,
 * and one more write where somebody else was granted the lock within the clocks' width, under a token that lies ahead; once
 * more where somebody has had it while the call went on.
 */
export const checkRequestCounts: Check = (history) => {
  const { premises, records } = history;
  if (!premises.isCalm || !premises.isPatient) return [];
  const violations: Violation[] = [];
  const seen = new Set<string>();
  for (const record of records) {
    if (record.kind !== 'call') continue;
    const { atMs, process, what, outcome, writes, reads } = record;
    const maxReads = seen.has(process) ? 0 : 1;
    // What is refused before anything is sent has not asked for the time yet.
    if (writes + reads > 0) seen.add(process);
    const isWrong =
      what === 'acquire'
        ? writes < 1 || writes > maxWrites(history, record) || reads > maxReads
        : what === 'release' && outcome === 'released' && (writes !== 1 || reads > 0);
    const told = `${what} of ${process} (${outcome}) costs ${writes} writes and ${reads} reads`;
    if (isWrong) violations.push({ rule: 'I8', atMs, what: told });
  }
  return violations;
};

function maxWrites(history: History, { name, process, sinceMs, atMs }: CallRecord): number {
  const grants = leaseWrites(history).filter(
    (write) =>
      write.key === name &&
      isGrant(write) &&
      processOf(textIn(write.after, 'leaseId')!) !== process &&
      write.atMs > sinceMs - calmWidthMs - history.premises.skewMs &&
      write.atMs < atMs,
  );
  if (grants.length === 0) return 1;
  return grants.some((write) => write.atMs > sinceMs) ? 3 : 2;
}
