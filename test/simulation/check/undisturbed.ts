import type { Check } from '../history/history.js';

/**
 * Section 5: where nothing goes wrong a lease is renewed for as long as it is held, and never lost, also where the front
 * ends' clocks lie as far apart as they may.
 */
export const checkUndisturbed: Check = ({ premises, records }) =>
  premises.isCalm
    ? records
        .filter((record) => record.kind === 'call' && /LockLost|lost/.test(record.outcome))
        .map((record) => ({
          rule: 'section 5',
          atMs: record.atMs,
          what: `${record.kind === 'call' ? record.leaseId : ''} is lost although nothing went wrong`,
        }))
    : [];
