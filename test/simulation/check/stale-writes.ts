import type { Check, Violation, WriteRecord } from '../history/history.js';
import { isGrant, leaseWrites, processOf, textIn } from './lease-writes.js';

/** What only a holder writes. */
const holders = ['expiresAt', 'checkpoint', 'renewals', 'cursor', 'claimed', 'progress', 'partial'] as const;

/** I4: renew, release, complete and break of a lease that is no longer current change nothing. */
export const checkStaleWrites: Check = (history) => {
  const violations: Violation[] = [];
  for (const write of leaseWrites(history)) {
    const what = write.request && write.after && !isGrant(write) && staleness(write);
    if (what) violations.push({ rule: 'I4', atMs: write.atMs, what: `${write.key}: ${what}` });
  }
  return violations;
};

function staleness(write: WriteRecord): string | undefined {
  const { before, after, request } = write;
  const [from, to] = [textIn(before, 'leaseId'), textIn(after, 'leaseId')];
  if (!before) {
    return request!.operation === 'PutItemCommand'
      ? undefined
      : `${request!.operation} makes an item without a lease`;
  }
  if (from !== undefined && to === from) {
    const changed = holders.filter((attribute) => differs(write, attribute));
    if (changed.length > 0 && request!.process !== processOf(from)) {
      return `${request!.process} changes ${changed.join(', ')} under lease ${from}`;
    }
    return undefined;
  }
  const last = textIn(after, 'lastLeaseId');
  if (from !== undefined) return last === from ? undefined : `lease ${from} is ended by a write for ${last}`;
  const changed = (['lastLeaseId', 'version', ...holders] as const).filter((attribute) =>
    differs(write, attribute),
  );
  if (!before.completedAt && after?.completedAt) changed.push('lastLeaseId');
  return changed.length > 0 ? `${changed.join(', ')} of a free item changes` : undefined;
}

function differs({ before, after }: WriteRecord, attribute: string): boolean {
  const [from, to] = [before?.[attribute], after?.[attribute]];
  return from !== to && (from?.S ?? from?.N) !== (to?.S ?? to?.N);
}
