import type { LeaseContext } from '../../../lib/lease/index.js';
import { compareKeys, type SliceItem } from '../../../lib/scan/index.js';
import { splitSlice } from '../../../lib/scan/slices/slice-creation.js';

/** Splits a slice and leaves its child pending; answers the child's id, or `undefined` if the split was refused. */
export async function split(
  context: LeaseContext,
  slice: SliceItem,
  cut: string,
): Promise<string | undefined> {
  return (await splitSlice(context, slice, cut))?.id;
}

/** A key strictly inside what is left of a slice, if there is one among these. */
export function cutInside(slice: SliceItem, keys: readonly string[], at: number): string | undefined {
  const from = slice.claimed ?? slice.lo;
  const inside = keys.filter(
    (key) =>
      (from === undefined || compareKeys(key, from) > 0) &&
      (slice.hi === undefined || compareKeys(key, slice.hi) < 0),
  );
  return inside[Math.floor(at * inside.length)];
}
