import type { LeaseContext } from '../../../lib/lease/index.js';
import { compareKeys, type SliceItem, sliceIdOf } from '../../../lib/scan/index.js';
import { childSliceId } from '../../../lib/scan/slice.js';
import { all, any } from '../../../lib/table/index.js';

/**
 * The split of a running slice, exactly the one conditional write of the scan page ("Splitting a running slice").
 *
 * @returns the child's id, or `undefined` if it was refused
 */
export async function split(
  context: LeaseContext,
  slice: SliceItem,
  cut: string,
): Promise<string | undefined> {
  const child = {
    id: childSliceId(sliceIdOf(slice.name), cut),
    lo: cut,
    ...(slice.hi !== undefined && { hi: slice.hi }),
  };
  const answer = await context.table.update(slice.name, {
    set: { hi: cut, child, splitProgress: slice.progress },
    condition: all(
      slice.hi === undefined
        ? { text: 'attribute_not_exists(#hi)' }
        : { text: '#hi = :seenHi', values: { ':seenHi': slice.hi } },
      any({ text: 'attribute_not_exists(#claimed)' }, { text: '#claimed < :cut', values: { ':cut': cut } }),
      { text: 'attribute_not_exists(#completedAt)' },
      { text: 'attribute_not_exists(#child)' },
    ),
  });
  return answer.applied ? child.id : undefined;
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
