import type { CallRecord, Check } from '../history/history.js';

/** I8: an uncontended cycle is exactly two writes and no reads, a refused try one write; the client's first request aside. */
export const checkRequestCounts: Check = ({ premises, records }) => {
  if (!premises.isCalm || !premises.isPatient) return [];
  const seen = new Set<string>();
  return records
    .filter((record): record is CallRecord => record.kind === 'call')
    .filter((call) => {
      const isFirst = !seen.has(call.process);
      seen.add(call.process);
      const reads = isFirst ? 1 : 0;
      if (call.what === 'acquire') return call.writes !== 1 || call.reads > reads;
      return call.what === 'release' && call.outcome === 'released' && (call.writes !== 1 || call.reads > 0);
    })
    .map(({ atMs, process, what, outcome, writes, reads }) => ({
      rule: 'I8',
      atMs,
      what: `${what} of ${process} (${outcome}) costs ${writes} writes and ${reads} reads`,
    }));
};
