import { compareKeys } from '../keys/key-order.js';
import { childSliceId, type SliceItem, type SliceRange } from './slice.js';
import type { PlannedSlice } from './slice-creation.js';

/** A part of the key space that no slice covers, or that two do. */
export interface Gap extends SliceRange {
  readonly reason: 'missing' | 'overlap' | 'stray';
}

/** How slices lie over the key space. */
export interface Tiling {
  /** In key order. */
  readonly slices: readonly SliceItem[];
  readonly gaps: readonly Gap[];
  /** Ids of slices that may fill the gaps, if they exist: a child's follows from its cut. */
  readonly wanted: readonly string[];
}

/**
 * Lays slices out from open to open: each planned range must be covered by its slice and the children split off
 * it, one beginning where the other ends. This is the proof of completeness (scan page, "The run").
 *
 * @param planned in key order, tiling by construction
 * @param found slices by id
 */
export function checkTiling(planned: readonly PlannedSlice[], found: ReadonlyMap<string, SliceItem>): Tiling {
  const slices: SliceItem[] = [];
  const gaps: Gap[] = [];
  const wanted: string[] = [];
  for (const range of planned) {
    const first = found.get(range.id);
    if (!first) {
      gaps.push({ lo: range.lo, hi: range.hi, reason: 'missing' });
      wanted.push(range.id);
      continue;
    }
    slices.push(first);
    if (first.lo !== range.lo) gaps.push({ lo: range.lo, hi: first.lo, reason: 'missing' });
    for (let end = first.hi; end !== range.hi; ) {
      const cut = end;
      if (cut === undefined || (range.hi !== undefined && compareKeys(cut, range.hi) > 0)) {
        gaps.push({ lo: range.hi, hi: cut, reason: 'overlap' });
        break;
      }
      // A cut is made once in a run: what begins there can have but one id.
      const id = childSliceId(cut);
      const child = found.get(id);
      if (child?.lo !== cut || (child.hi !== undefined && compareKeys(child.hi, cut) <= 0)) {
        gaps.push({ lo: cut, hi: range.hi, reason: 'missing' });
        wanted.push(id);
        break;
      }
      slices.push(child);
      end = child.hi;
    }
  }
  return { slices, gaps: [...gaps, ...strays(slices, found)], wanted };
}

/** Where a slice lies: all that its neighbours are found by. */
export interface LaidSlice extends SliceRange {
  readonly name: string;
}

/**
 * Ids that the children of splits have, if these slices show that there must be some: a slice ends where none begins.
 * Cheap, so that seats can ask at every look.
 *
 * @param planned in key order
 * @param seen planned slices and children, each as it was read last
 */
export function childrenWanted(
  planned: readonly PlannedSlice[],
  seen: Iterable<LaidSlice>,
): readonly string[] {
  const slices = [...seen];
  const beginnings = new Set([...planned, ...slices].map(({ lo }) => lo));
  const cuts = new Set(slices.flatMap(({ hi }) => (hi === undefined || beginnings.has(hi) ? [] : [hi])));
  return [...cuts].map(childSliceId);
}

/** A slice that lies in no planned range would have its keys in two results. */
function strays(slices: readonly SliceItem[], found: ReadonlyMap<string, SliceItem>): Gap[] {
  const laid = new Set(slices.map(({ name }) => name));
  return [...found.values()]
    .filter(({ name }) => !laid.has(name))
    .map(({ lo, hi }) => ({ lo, hi, reason: 'stray' }));
}
