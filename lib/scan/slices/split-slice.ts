import type { LeaseContext } from '../../lease/index.js';
import { splittable } from './scan-conditions.js';
import { childSliceId, type PendingChild, type SliceItem } from './slice.js';

/**
 * Splits a slice that is being worked on, or may be: one conditional write (scan page, "Splitting a running slice"), which
 * lowers `hi` and leaves a note of the child. Whoever sees that note makes the child; see `materialiseChild`.
 *
 * @param slice as it was read a moment ago
 * @param cut in `(claimed, hi)`, in key order
 * @returns the child that is pending now; `undefined` if the slice has moved since it was read, and nothing was written
 * @throws StoreError
 */
export async function splitSlice(
  context: LeaseContext,
  slice: SliceItem,
  cut: string,
  signal?: AbortSignal,
): Promise<PendingChild | undefined> {
  const { hi, emptyAfter } = slice;
  const child = {
    id: childSliceId(cut),
    lo: cut,
    ...(hi !== undefined && { hi }),
    ...(emptyAfter !== undefined && { emptyAfter }),
  };
  const set = { hi: cut, child, splitProgress: slice.progress };
  const answer = await context.table.update(
    slice.name,
    { set, condition: splittable(slice.hi, cut) },
    signal,
  );
  return answer.applied ? child : undefined;
}
