import type { History, WriteRecord } from '../history/history.js';
import type { Item } from '../store/attribute-values.js';
import { leaseWrites, textIn } from './lease-writes.js';

/** The writes to slices. The run's own item has one part less in its name. */
export function sliceWrites(history: History): WriteRecord[] {
  return leaseWrites(history).filter(isSlice);
}

/** Whether a write is to a slice, not to the run's own item or to a ledger. */
export function isSlice({ table, key }: Pick<WriteRecord, 'table' | 'key'>): boolean {
  return table === 'leases' && key.split('/').length === 3;
}

/** A range `(lo, hi]`; an absent bound is open. */
export interface Range {
  readonly lo: string | undefined;
  readonly hi: string | undefined;
}

/** The range of a slice. */
export function rangeOf(item: Item): Range {
  return { lo: textIn(item, 'lo'), hi: textIn(item, 'hi') };
}

/** A split that is written down, and its id. */
export function childOf(item: Item): (Range & { readonly id: string }) | undefined {
  const child = item.child?.M;
  return child && { id: child.id!.S!, lo: child.lo?.S, hi: child.hi?.S };
}
