import type { Alphabet } from '../keys/alphabet.js';
import { isLegalCut, separatingCut, topCharacter } from '../keys/cut.js';
import { findMiddle, type KeyRange, measureWidth, sharedLength } from '../keys/key-middle.js';
import { compareKeys } from '../keys/key-order.js';
import type { PlanRequests } from './plan-requests.js';

/** Probes at the same time. */
const parallelProbes = 8;

/** A slice in the making. */
export interface OpenSlice {
  /** Where it ends, and the next one begins; absent: open. */
  readonly hi: string | undefined;
  /** A cut lies at or above it: the first key, where it is known, so that no slice is made empty. */
  readonly low: string;
  /** Nothing was seen above it. */
  readonly top: string | undefined;
  /** The last probe came back empty: most of what looks like room is none. */
  readonly sparse?: boolean;
}

/** What the fill works with. */
export interface FillOptions {
  /** Slices wanted. */
  readonly wanted: number;
  readonly alphabet: Alphabet;
  readonly stem: string;
}

/**
 * Planning, step 5: cuts the widest slice in the middle of the characters seen, until there are enough. The key
 * that a probe brings back makes the cut; an empty answer lowers the slice's top, and the next probe looks right
 * behind the slice's first character: one request a character, where halving would take several.
 *
 * @param slices in key order
 * @returns slices in key order
 */
export async function fill(
  requests: PlanRequests,
  slices: readonly OpenSlice[],
  options: FillOptions,
): Promise<readonly OpenSlice[]> {
  let current = slices;
  for (;;) {
    const most = Math.min(parallelProbes, options.wanted - current.length, requests.left);
    const probes = widest(current, options, requests.prefix).slice(0, Math.max(0, most));
    if (probes.length === 0) return current;
    const outcomes = await Promise.all(
      probes.map(async ({ slice, middle }) => {
        const key = await requests.firstKeyAfter(middle);
        if (key !== undefined) options.alphabet.add(key, requests.prefix.length);
        return [slice, cutAt(slice, middle, key, requests.prefix)] as const;
      }),
    );
    const replaced = new Map(outcomes);
    current = current.flatMap((slice) => replaced.get(slice) ?? [slice]);
  }
}

/** The slices that can be cut, widest first, each with the place to look at. */
function widest(slices: readonly OpenSlice[], { alphabet, stem }: FillOptions, prefix: string) {
  return slices
    .map((slice) => {
      const range: KeyRange = { low: slice.low, high: lower(slice.hi, slice.top), stem };
      const behindFirst = slice.sparse ? behindFirstCharacter(range, prefix) : undefined;
      const middle = behindFirst ?? findMiddle(range, alphabet, prefix);
      return { slice, width: measureWidth(range, alphabet), middle };
    })
    .filter((probe): probe is typeof probe & { readonly middle: string } => probe.middle !== undefined)
    .sort((a, b) => b.width - a.width);
}

function cutAt(slice: OpenSlice, middle: string, key: string | undefined, prefix: string): OpenSlice[] {
  if (key === undefined || (slice.hi !== undefined && compareKeys(key, slice.hi) > 0)) {
    return [{ ...slice, top: middle, sparse: true }];
  }
  const cut = separatingCut(middle, key, prefix);
  // Nothing lies between the middle and the key: the left part ends in truth where the probe began.
  return [
    { ...slice, hi: cut, top: middle, sparse: false },
    { ...slice, low: key, sparse: false },
  ];
}

/** Behind all keys that share the first one's character at the first position at which the bounds differ. */
function behindFirstCharacter({ low, high, stem }: KeyRange, prefix: string): string | undefined {
  const shared = high === undefined ? stem : low.slice(0, sharedLength(low, high));
  const point = low.startsWith(shared) ? low.codePointAt(shared.length) : undefined;
  if (point === undefined) return undefined;
  const behind = shared + String.fromCodePoint(point) + topCharacter;
  if (high !== undefined && compareKeys(behind, high) >= 0) return undefined;
  return isLegalCut(behind, prefix) ? behind : undefined;
}

function lower(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareKeys(a, b) <= 0 ? a : b;
}
