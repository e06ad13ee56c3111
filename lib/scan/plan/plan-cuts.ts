import { type Alphabet, findMiddle, type KeyRange, measureWidth, sharedLength } from '../keys/key-middle.js';
import { compareKeys, isLegalCut, separatingCut, topCharacter } from '../keys/key-order.js';
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

/** Folders asked for what is in them at the same time. */
const parallelRequests = 8;

/** So many folders a slice are enough: splits go by them, too. */
const foldersPerSlice = 8;

/** Each seat reads the run item, which holds them all. */
const maxFolderBytes = 60_000;

/** A folder, and whether it may be asked for what is in it. */
interface Folder {
  readonly path: string;
  readonly isOpen: boolean;
}

/**
 * Planning, step 4: which folders there are, level by level, until there are eight for each slice wanted. Cuts between real
 * folders have keys on both sides. Folders that hold more than a thousand, and those of a level where the first few hold
 * none, are left whole.
 *
 * @returns in key order, each with the `/` at its end, none inside another; fewer than two say nothing, and none are told
 */
export async function findFolders(requests: PlanRequests, wanted: number): Promise<string[]> {
  const enough = foldersPerSlice * wanted;
  let folders: readonly Folder[] = [{ path: requests.prefix, isOpen: true }];
  while (folders.length < enough) {
    const asked = highestOpen(folders);
    // A level is opened as a whole, or not at all: folders of two levels are not alike. Each slice that has no cut yet is
    // left a request.
    if (asked.length === 0 || asked.length > requests.left - Math.max(0, wanted - folders.length)) break;
    const opened = await withOpened(requests, folders, asked);
    if (!opened || bytesOf(opened) > maxFolderBytes) break;
    folders = opened;
  }
  return folders.length < 2 ? [] : folders.map(({ path }) => path);
}

/** Those of the highest level that has some. */
function highestOpen(folders: readonly Folder[]): readonly string[] {
  const open = folders.filter(({ isOpen }) => isOpen).map(({ path }) => path);
  const depth = (path: string) => path.split('/').length;
  const highest = Math.min(...open.map(depth));
  return open.filter((path) => depth(path) === highest);
}

/** Folders, with what is in these instead of them; `undefined` if the first few hold none. */
async function withOpened(
  requests: PlanRequests,
  folders: readonly Folder[],
  asked: readonly string[],
): Promise<readonly Folder[] | undefined> {
  const inside = new Map<string, readonly string[]>();
  for (let start = 0; start < asked.length; start += parallelRequests) {
    const batch = asked.slice(start, start + parallelRequests);
    const found = await Promise.all(batch.map((path) => requests.foldersIn(path)));
    for (const [index, path] of batch.entries()) inside.set(path, inOrderWithin(path, found[index] ?? []));
    if ([...inside.values()].every((found) => found.length === 0)) return undefined;
  }
  return folders.flatMap((folder) => {
    const found = inside.get(folder.path);
    if (!found) return [folder];
    return found.length > 0 ? found.map((path) => ({ path, isOpen: true })) : [{ ...folder, isOpen: false }];
  });
}

/** An S3 with ideas of its own must not send the plan in circles. */
function inOrderWithin(path: string, found: readonly string[]): readonly string[] {
  return found.filter((folder) => folder.length > path.length && folder.startsWith(path)).sort(compareKeys);
}

function bytesOf(folders: readonly Folder[]): number {
  return folders.reduce((bytes, { path }) => bytes + Buffer.byteLength(path), 0);
}

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
interface FillOptions {
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
