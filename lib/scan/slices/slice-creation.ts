import { type LeaseContext, leaseFormat, ttlAfter } from '../../lease/index.js';
import { childIs, splittable } from './scan-conditions.js';
import {
  childSliceId,
  type PendingChild,
  plannedSliceId,
  type SliceItem,
  type SliceRange,
  sliceGroup,
  sliceName,
} from './slice.js';

/** A slice of the plan. */
export interface PlannedSlice extends SliceRange {
  readonly id: string;
  readonly emptyAfter?: string;
}

/**
 * The slices that a set of cuts makes. Any sorted cuts tile the key space.
 *
 * @param cuts in key order, without duplicates
 * @param emptyAfter the hint for the last one
 */
export function slicesOfCuts(cuts: readonly string[], emptyAfter?: string): PlannedSlice[] {
  return Array.from({ length: cuts.length + 1 }, (_, ordinal) => ({
    id: plannedSliceId(ordinal),
    ...(ordinal > 0 && { lo: cuts[ordinal - 1] }),
    ...(ordinal < cuts.length && { hi: cuts[ordinal] }),
    ...(ordinal === cuts.length && emptyAfter !== undefined && { emptyAfter }),
  }));
}

/**
 * Creates a slice's item if there is none. There must be store time.
 *
 * @param minVersion the first token is above this
 * @returns whether this call created it
 * @throws StoreError
 */
export function createSlice(
  context: LeaseContext,
  run: string,
  slice: PlannedSlice,
  minVersion = 0,
  signal?: AbortSignal,
): Promise<boolean> {
  const now = Math.floor(context.clock.now().latest);
  const item = {
    name: sliceName(run, slice.id),
    format: leaseFormat,
    // As a grant's token (protocol, section 2): what is created later has higher tokens.
    version: Math.max(Math.ceil(context.clock.now().earliest), minVersion),
    group: sliceGroup(run),
    ttl: ttlAfter(context, now),
    progress: 0,
    splitProgress: 0,
    ...(slice.lo !== undefined && { lo: slice.lo }),
    ...(slice.hi !== undefined && { hi: slice.hi }),
    ...(slice.emptyAfter !== undefined && { emptyAfter: slice.emptyAfter }),
  };
  return context.table.create(item, signal);
}

/**
 * Makes a split real: creates the child's item if it is absent, then clears the parent's note of it. Whoever sees
 * a pending child does this, in any number; a crash in between loses nothing.
 *
 * @throws StoreError
 */
export async function materialiseChild(
  context: LeaseContext,
  run: string,
  parent: SliceItem & { readonly child: PendingChild },
  signal?: AbortSignal,
): Promise<void> {
  const { child } = parent;
  // The child's keys were never claimed under the parent; its tokens are above the parent's all the same.
  await createSlice(context, run, child, parent.version + 1, signal);
  await context.table.update(parent.name, { remove: ['child'], condition: childIs(child.id) }, signal);
}

/** Whether a slice has a split pending. */
export function hasPendingChild(slice: SliceItem): slice is SliceItem & { readonly child: PendingChild } {
  return slice.child !== undefined;
}

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
