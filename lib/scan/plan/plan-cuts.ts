import { separatingCut, topCharacter } from '../keys/cut.js';
import { sharedLength } from '../keys/key-middle.js';
import { compareKeys } from '../keys/key-order.js';
import { fill, type OpenSlice } from './plan-fill.js';
import { findFolders } from './plan-folders.js';
import type { PlanRequests } from './plan-requests.js';
import { type KeySample, samplePages, withClosedTop, withTrueStem } from './plan-sample.js';

/** The run item holds all cuts and has at most 400 KB. */
const maxCutBytes = 300_000;

/** Where the slices of a run begin and end. */
export interface CutPlan {
  /** In key order, without duplicates. */
  readonly cuts: readonly string[];
  readonly emptyAfter?: string;
  /** Folders that there are, in key order, none inside another: hints for splits. */
  readonly folders?: readonly string[];
}

/** A cut, and the first key that is known behind it (or a bound below it). */
interface KnownCut {
  readonly cut: string;
  readonly low: string;
}

/**
 * Finds the cuts of a prefix (scan page, "Planning", steps 1 to 6).
 *
 * @param wanted slices wanted, K
 * @param given cuts by hand or of an earlier run
 */
export async function planCuts(
  requests: PlanRequests,
  wanted: number,
  given: readonly string[],
): Promise<CutPlan> {
  const pages = await samplePages(requests, wanted);
  const byHand = given.filter((cut) => cut.startsWith(requests.prefix) && cut !== requests.prefix);
  if (pages.complete) {
    // One page: one slice. A few: a slice a page, and what was given.
    if (pages.pageEnds.length <= 1) return { cuts: [] };
    return { cuts: inOrder([...pages.pageEnds.slice(0, -1), ...byHand]) };
  }
  if (wanted === 1 && byHand.length === 0) return { cuts: [] };
  const sample = await explored(requests, pages, wanted);
  const folders = await findFolders(requests, wanted);
  const known = [
    ...folderCuts(folders, requests.prefix, wanted),
    ...byHand.map((cut) => ({ cut, low: cut })),
  ];
  const stem = known.reduce((shared, { cut }) => shared.slice(0, sharedLength(shared, cut)), sample.stem);
  const slices = await fill(requests, openSlices(known, sample), { wanted, alphabet: sample.alphabet, stem });
  // Keys with characters at or above the top one can make a cut twice.
  const cuts = thinned(inOrder(slices.slice(0, -1).map((slice) => slice.hi!)));
  return { cuts, emptyAfter: slices.at(-1)!.top, ...(folders.length > 0 && { folders }) };
}

/** Steps 2 and 3, with a request for each slice left to the fill. */
async function explored(requests: PlanRequests, pages: KeySample, wanted: number): Promise<KeySample> {
  const sample = await withTrueStem(requests, pages, wanted);
  return withClosedTop(requests, sample, wanted);
}

/** Step 4: evenly spaced real folders, if there are enough to choose from. */
function folderCuts(folders: readonly string[], prefix: string, wanted: number): KnownCut[] {
  const cuts: KnownCut[] = [];
  const parts = Math.min(wanted, folders.length);
  for (let part = 1; part < parts; part++) {
    const index = Math.floor((part * folders.length) / parts);
    const folder = folders[index]!;
    cuts.push({ cut: separatingCut(folders[index - 1]! + topCharacter, folder, prefix), low: folder });
  }
  // Where no character could tell two folders apart, the bound is one that may not be sent.
  return cuts.filter(({ cut }) => !cut.endsWith(topCharacter));
}

function openSlices(known: readonly KnownCut[], sample: KeySample): OpenSlice[] {
  const byCut = new Map(known.map((entry) => [entry.cut, entry]));
  const cuts = inOrder(known.map(({ cut }) => cut)).map((cut) => byCut.get(cut)!);
  const lows = [sample.firstKey ?? sample.stem, ...cuts.map(({ low }) => low)];
  return lows.map((low, index) => ({ low, hi: cuts[index]?.cut, top: sample.emptyAfter }));
}

/** Sorted, each once: the comparator, not JavaScript's own order. */
function inOrder(cuts: readonly string[]): string[] {
  return [...new Set(cuts)].sort(compareKeys);
}

/** Fewer cuts cost balance, never a key. */
function thinned(cuts: readonly string[]): readonly string[] {
  let kept = cuts;
  while (kept.reduce((bytes, cut) => bytes + Buffer.byteLength(cut), 0) > maxCutBytes) {
    kept = kept.filter((_, index) => index % 2 === 1);
  }
  return kept;
}
