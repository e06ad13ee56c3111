import { createHash } from 'node:crypto';
import { UsageError } from '../../errors/index.js';
import { type LeaseItem, parseLeaseItem } from '../../lease/index.js';
import type { StoredItem } from '../../table/index.js';
import type { StoredPartial } from '../results/partial-store.js';
import type { Tally } from '../results/tally.js';
import { maxAttempts } from './scan-conditions.js';

/** A key range `(lo, hi]` in UTF-8 byte order; an absent bound is open. */
export interface SliceRange {
  readonly lo?: string;
  readonly hi?: string;
}

/** A split that is written down on the parent, but perhaps not yet materialised. */
export interface PendingChild extends SliceRange {
  readonly id: string;
  readonly lo: string;
  /** The parent's hint. */
  readonly emptyAfter?: string;
}

/** What a completed slice stands for. */
export interface SliceResult {
  /** The token under which it was completed. */
  readonly token: number;
  readonly partial: StoredPartial;
  readonly tally: Tally;
  /** Where its output lies; `tally.published` names the tokens and pages that count. */
  readonly output?: { readonly bucket: string; readonly prefix: string };
}

/** A slice: a lease item and what the scan keeps in it (scan page, "Slices"). */
export interface SliceItem extends LeaseItem, SliceRange {
  /** Last key that is fully done: where a successor starts. */
  readonly cursor?: string;
  /** Last key that a holder may act on; only grows. */
  readonly claimed?: string;
  /** Pages claimed so far, and its value at the last split. */
  readonly progress: number;
  readonly splitProgress: number;
  /** Nothing was seen above it: a hint, never a bound. */
  readonly emptyAfter?: string;
  /** The result up to `cursor`. */
  readonly partial?: StoredPartial;
  /** Counts up to `cursor`. */
  readonly tally?: Tally;
  /** Grants since the last progress. */
  readonly attempts?: number;
  readonly child?: PendingChild;
  /** What the processor threw last. */
  readonly lastError?: string;
  readonly result?: SliceResult;
}

/** How a slice stands. `expired`: its holder's lease has run out, it can be taken over. */
export type SliceState = 'free' | 'held' | 'expired' | 'completed' | 'quarantined';

/** The group of a run's slices. */
export function sliceGroup(run: string): string {
  return `scan/${run}`;
}

/** The lease name of a slice. */
export function sliceName(run: string, id: string): string {
  return `scan/${run}/${id}`;
}

/** The id in a slice's lease name. */
export function parseSliceId(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** The id of a planned slice: its place in the plan, from 0. */
export function plannedSliceId(ordinal: number): string {
  return String(ordinal).padStart(6, '0');
}

/**
 * The id of the slice that begins at a cut. It follows from the cut alone: a cut lies strictly inside one slice, and once it
 * is made it is an end of two, so that no other split of the run can be at the same one.
 */
export function childSliceId(cut: string): string {
  return `c${createHash('sha256').update(cut).digest('hex').slice(0, 24)}`;
}

/** Whether an item's name is that of a slice of this run: planned, or split off. */
export function isSliceName(run: string, name: string): boolean {
  const group = `scan/${run}/`;
  return name.startsWith(group) && /^(?:\d{6,}|c[0-9a-f]{24})$/.test(name.slice(group.length));
}

/**
 * How a slice stands, at a moment of store time.
 *
 * @param takeoverBefore a lease that ended before this can be taken over (`takeoverBefore` of the lease context)
 */
export function findState(slice: SliceItem, takeoverBefore: number): SliceState {
  if (slice.completedAt !== undefined) return 'completed';
  const held = slice.leaseId !== undefined;
  if (held && slice.expiresAt! >= takeoverBefore) return 'held';
  if ((slice.attempts ?? 0) >= maxAttempts) return 'quarantined';
  return held ? 'expired' : 'free';
}

/**
 * Reads a stored item as a slice.
 *
 * @throws UsageError if it is not one
 */
export function parseSlice(stored: StoredItem): SliceItem {
  const name = String(stored.name);
  const item = parseLeaseItem(name, stored);
  for (const attribute of ['lo', 'hi', 'cursor', 'claimed'] as const) {
    const value = item[attribute];
    if (value !== undefined && typeof value !== 'string') throw notASlice(name, attribute);
  }
  for (const attribute of ['progress', 'splitProgress'] as const) {
    if (typeof item[attribute] !== 'number') throw notASlice(name, attribute);
  }
  return item as SliceItem;
}

/** As {@link parseSlice}; `undefined` for an item that is something else. */
export function findSlice(stored: StoredItem): SliceItem | undefined {
  try {
    return parseSlice(stored);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function notASlice(name: string, attribute: string): UsageError {
  return new UsageError(`The item "${name}" is not a slice of a scan: look at its ${attribute}`, name);
}
