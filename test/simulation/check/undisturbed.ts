import type { CallRecord, Check, Terms, Violation } from '../history/history.js';

/**
 * Section 5: where nothing goes wrong a lease is renewed for as long as it is held, and never lost, also where the front
 * ends' clocks lie as far apart as they may; but for an end that its caller set.
 */
export const checkUndisturbed: Check = ({ premises, records }) => {
  if (!premises.isCalm) return [];
  const asked = new Map<string, Terms>();
  /** Processes that set an end of their own to a lease. */
  const ending = new Set<string>();
  let isGapOwn = false;
  const violations: Violation[] = [];
  for (const record of records) {
    if (record.kind === 'handed' && record.terms) {
      const { maxHoldMs, endsInMs } = record.terms;
      if ((maxHoldMs ?? endsInMs) !== undefined) ending.add(record.process);
      asked.set(record.leaseId, record.terms);
      // A call that hands its lease to a callback does not say which it was: its process's last under that name.
      asked.set(`${record.process} ${record.name}`, record.terms);
      // A permit is its semaphore's.
      asked.set(`${record.process} ${record.name.split('#')[0]}`, record.terms);
    }
    // It may have run out before anybody went on with it, if its length was shorter than the gap.
    if (record.kind === 'call' && record.gapMs !== undefined) isGapOwn = true;
    if (record.kind === 'handed' && record.terms?.maxHoldMs !== undefined) isGapOwn = true;
    if (record.kind === 'call' && record.what === 'resume' && isGapOwn) continue;
    if (record.kind !== 'call' || record.what.startsWith('guard') || !/LockLost|lost/.test(record.outcome))
      continue;
    const { leaseId = `${record.process} ${record.name}`, atMs, outcome } = record;
    // Several locks at once: each may have had an end of its own, and the release of all tells no reason.
    if (record.name === '' && (ending.has(record.process) || outcome.includes('max-hold'))) continue;
    if (endsByItself(record, asked.get(leaseId))) continue;
    const what = `${leaseId} is lost (${outcome}) although nothing went wrong`;
    violations.push({ rule: 'section 5', atMs, what });
  }
  return violations;
};

function endsByItself({ outcome }: CallRecord, terms: Terms | undefined): boolean {
  return outcome.includes('max-hold') && (terms?.maxHoldMs ?? terms?.endsInMs) !== undefined;
}
