import type { Check, Violation, WriteRecord } from '../history/history.js';
import type { Item } from '../store/attribute-values.js';
import { isGrant, numberIn, textIn } from './lease-writes.js';

/** The lease that was handed over, where the item's present lease goes on with it. */
export function handedOverTo(item: Item | undefined): string | undefined {
  const leaseId = textIn(item, 'leaseId');
  return leaseId !== undefined && textIn(item, 'resumingLease') === leaseId
    ? textIn(item, 'resumes')
    : undefined;
}

/** Whether a grant takes over from one that went on with the same lease: a retry, or a second invocation. */
export function supersedesSibling({ before, after }: WriteRecord): boolean {
  const line = handedOverTo(after);
  return line !== undefined && handedOverTo(before) === line;
}

/** Whether a grant goes on with a lease that was handed over, or that somebody else goes on with. */
export function goesOn(write: WriteRecord): boolean {
  const line = handedOverTo(write.after);
  return line !== undefined && (textIn(write.before, 'leaseId') === line || supersedesSibling(write));
}

/**
 * A lease is gone on with only after it was handed over, and only where nobody but others who went on with it has had the
 * lock since.
 */
export const checkHandOvers: Check = ({ records }) => {
  const violations: Violation[] = [];
  const tokens = new Map<string, number>();
  const handedOver = new Set<string>();
  for (const record of records) {
    if (record.kind === 'handed') tokens.set(record.leaseId, record.token);
    if (record.kind === 'call' && record.what === 'handOver' && record.outcome === 'ok') {
      handedOver.add(record.leaseId!);
    }
    if (record.kind !== 'write' || !isGrant(record)) continue;
    const line = handedOverTo(record.after);
    if (line === undefined) continue;
    const [from, to] = [textIn(record.before, 'leaseId'), textIn(record.after, 'leaseId')];
    const tell = (what: string) =>
      violations.push({ rule: 'hand-over', atMs: record.atMs, what: `${to} goes on with ${line}, ${what}` });
    if (!handedOver.has(line)) tell('which was not handed over');
    if (!goesOn(record)) tell(`but the lock was ${from === undefined ? 'free' : `${from}'s`}`);
    else if (from === line && numberIn(record.before, 'version') !== tokens.get(line)) {
      tell('whose id came back under another token');
    }
  }
  return violations;
};
