import type { AcceptedRecord, Check, Violation } from '../history/history.js';

const acts = new Set(['guardUpdate', 'guardTransaction', 'sqlFence', 'guardedPutObject']);

/** I3: a fenced resource never accepts a token lower than one that it has accepted; a held-check holds. */
export const checkResources: Check = ({ records }) => {
  const violations: Violation[] = [];
  const written: AcceptedRecord[] = [];
  const highest = new Map<string, number>();
  for (const record of records) {
    if (record.kind === 'call' && acts.has(record.what) && record.outcome === 'ok') {
      const isWritten = written.some(({ by, atMs }) => by === record.leaseId && atMs >= record.sinceMs);
      const what = `${record.what} under ${record.leaseId} is told as done, but nothing was written`;
      if (!isWritten) violations.push({ rule: 'I3', atMs: record.atMs, what });
    }
    if (record.kind !== 'accepted') continue;
    written.push(record);
    const { atMs, resource, token, demanded, current } = record;
    const before = highest.get(resource) ?? token;
    if (token < before)
      violations.push({ rule: 'I3', atMs, what: `${resource} accepts ${token} after ${before}` });
    if (demanded !== undefined && demanded !== current) {
      const what = `${resource} accepts a write that demands ${demanded}, but ${current} is current`;
      violations.push({ rule: 'I3', atMs, what });
    }
    highest.set(resource, Math.max(before, token));
  }
  return violations;
};
