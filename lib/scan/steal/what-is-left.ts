import { compareKeys, isLegalCut } from '../keys/key-order.js';

import type { SliceItem } from '../slices/slice.js';
import { type KeyShape, separator } from './key-shape.js';
import type { KnownFolders } from './known-folders.js';
import { LevelName } from './level-name.js';

/** A folder holds this many times what one of its folders does, where nothing is known; and no more where something is. */
const maxFolderFactor = 8;

/** Beyond any bucket: where names are long, what is left in theory is beyond any number. */
const maxPages = 1e15;

/** What is left of a slice behind what is claimed, as a guess. */
export interface WhatIsLeft {
  readonly pages: number;
  /**
   * A key about so many pages behind what is claimed, shorter than real ones.
   *
   * @returns strictly between `claimed` and `hi`; `undefined` if none is found
   */
  readonly cutAhead: (pages: number) => string | undefined;
}

/** The folders that the plan has seen, and what one of them holds. */
export interface FolderHints {
  readonly folders: KnownFolders;
  readonly pagesPerFolder: number;
}

/** What is left on one folder level. */
interface Stretch {
  readonly level: number;
  readonly pages: number;
  readonly name: LevelName;
  /** From the name, as a number in its places, it begins so far ahead. */
  readonly offset: number;
  readonly width: number;
}

/**
 * Guesses what is left of a slice, from the one page between `cursor` and `claimed`: how far it goes in the places of its
 * names, against what there is up to `hi`. Folders further up are taken to be alike, each holding eight of those below; but
 * where the plan has seen folders those are counted, and nothing is taken to lie between them.
 *
 * @param prefix the run's own
 * @param hints folders that the plan has seen. @default it saw none
 * @returns `undefined` if nothing can be said: no page is done yet whose length in keys is known
 */
export function guessWhatIsLeft(
  slice: Pick<SliceItem, 'lo' | 'hi' | 'cursor' | 'claimed' | 'emptyAfter'>,
  shape: KeyShape,
  prefix: string,
  hints?: FolderHints,
): WhatIsLeft | undefined {
  const { claimed, hi } = slice;
  if (claimed === undefined || !claimed.startsWith(prefix)) return undefined;
  const names = namesOf(claimed, prefix);
  const from = pageStart(slice, prefix);
  const page =
    from === undefined
      ? undefined
      : measurePage(namesOf(from, prefix), names, shape, slice.cursor !== undefined);
  const end = nearerEnd(slice);
  const known = foldersAhead(claimed, end, hints);
  if (!page && !known?.count) return undefined;
  const endsHere = !known?.current || end?.startsWith(known.current);
  const endNames = endsHere && end?.startsWith(prefix) ? namesOf(end, prefix) : undefined;
  const below = {
    lowest: known?.current === undefined ? 0 : namesOf(known.current, prefix).length - 1,
    folderFactor: hints ? Math.min(maxFolderFactor, hints.folders.perFolder) : maxFolderFactor,
  };
  const isBetween = known !== undefined && known.current === undefined;
  const stretches = page && !isBetween ? stretchesUpTo(endNames, names, page, shape, below) : [];
  const inFolder = stretches.reduce((sum, { pages }) => sum + pages, 0);
  const isUsable = (cut: string) =>
    compareKeys(claimed, cut) < 0 &&
    (hi === undefined || compareKeys(cut, hi) < 0) &&
    isLegalCut(cut, prefix);
  return {
    pages: Math.min(maxPages, inFolder + (known ? known.count * hints!.pagesPerFolder : 0)),
    cutAhead(pages) {
      let ahead = pages;
      for (const stretch of stretches) {
        if (ahead >= stretch.pages) {
          ahead -= stretch.pages;
          continue;
        }
        const name = stretch.name.ahead(stretch.offset + (stretch.width * ahead) / stretch.pages);
        if (name === undefined) return undefined;
        const cut = prefix + [...names.slice(0, stretch.level), name].join(separator);
        return isUsable(cut) ? cut : undefined;
      }
      if (!known) return undefined;
      const cut = hints!.folders.cutBefore(known.next + Math.floor(ahead / hints!.pagesPerFolder));
      return cut !== undefined && isUsable(cut) ? cut : undefined;
    },
  };
}

/** The known folders between a claimed key and the end of what is left; `undefined` where the plan has seen none. */
function foldersAhead(claimed: string, end: string | undefined, hints: FolderHints | undefined) {
  if (!hints) return undefined;
  const current = hints.folders.containing(claimed);
  const next = hints.folders.countUpTo(claimed);
  const count = Math.max(0, hints.folders.countUpTo(end) - next);
  return current === undefined && count === 0 ? undefined : { current, next, count };
}

function namesOf(key: string, prefix: string): string[] {
  return key.slice(prefix.length).split(separator);
}

/** Where the claimed page began; the slice's own beginning is a cut, and is as good where it lies in the same folder. */
function pageStart({ cursor, lo }: Pick<SliceItem, 'cursor' | 'lo'>, prefix: string): string | undefined {
  const start = cursor ?? lo;
  return start?.startsWith(prefix) ? start : undefined;
}

/** `emptyAfter` is a hint: what lies above it is no reason to cut there, and none to end there. */
function nearerEnd({
  hi,
  emptyAfter,
  claimed,
}: Pick<SliceItem, 'hi' | 'emptyAfter' | 'claimed'>): string | undefined {
  if (emptyAfter === undefined || compareKeys(emptyAfter, claimed!) <= 0) return hi;
  return hi === undefined || compareKeys(emptyAfter, hi) < 0 ? emptyAfter : hi;
}

/** The level on which the page moved on, how far, and the pages that a whole folder of that level has at that pace. */
interface PagePace {
  readonly level: number;
  readonly name: LevelName;
  readonly width: number;
  /** How far the folder goes on behind it. */
  readonly ahead: number;
  readonly folderPages: number;
}

function measurePage(
  from: readonly string[],
  to: readonly string[],
  shape: KeyShape,
  isWhole: boolean,
): PagePace | undefined {
  let level = 0;
  while (level < to.length && from[level] === to[level]) level++;
  if (level >= to.length) return undefined;
  // A cut in another folder says nothing of where the page began.
  if (!isWhole && level < to.length - 1) return undefined;
  const start = from[level] ?? '';
  const reference = firstDifference(start, to[level]!);
  const name = leadersName(
    new LevelName(to[level]!, level, shape, reference),
    to[level]!,
    level,
    shape,
    reference,
  );
  const width = Math.max(-name.widthTo(start), Number.EPSILON);
  const past = name.total - name.widthTo(undefined);
  const ahead = widthAhead(name, past, level, shape);
  return { level, name, width, ahead, folderPages: (past + ahead) / width };
}

/** Whether a folder's names are what others are measured by: the topmost level is cut by the plan's own samples. */
const isFolder = (level: number): boolean => level > 0;

/** Nobody has come further in any folder: what was seen so far is no end. */
function leadersName(
  name: LevelName,
  text: string,
  level: number,
  shape: KeyShape,
  reference: number,
): LevelName {
  if (!isFolder(level) || shape.names(level).some((other) => name.widthTo(other) > 0)) return name;
  const place = name.growingPlace;
  return place === undefined ? name : new LevelName(text, level, shape, reference, place);
}

/**
 * How far a folder goes on behind a name: to the end of what can be written in its places, if the names of all folders
 * together are spread over that. Where they are not (numbers from zero up to each folder's own end, most of them low) a
 * folder goes on for as long as it has gone on so far: that is to be expected of sizes of all orders of magnitude.
 */
function widthAhead(name: LevelName, past: number, level: number, shape: KeyShape): number {
  const toEnd = name.widthTo(undefined);
  const ahead = shape.names(level).map((other) => name.widthTo(other));
  const inUpperHalf = ahead.filter((width) => past + width > name.total / 2).length;
  return isFolder(level) && isRare(inUpperHalf, ahead.length) ? Math.min(toEnd, past) : toEnd;
}

/** Whether so few of so many would lie in one half by a chance below 0.001. */
function isRare(count: number, of: number): boolean {
  let term = 0.5 ** of;
  let sum = term;
  for (let index = 1; index <= count; index++) {
    term *= (of - index + 1) / index;
    sum += term;
  }
  return sum < 0.001;
}

/** What is left on each level, in the order of keys: the lowest folder's rest comes first. */
function stretchesUpTo(
  end: readonly string[] | undefined,
  names: readonly string[],
  page: PagePace,
  shape: KeyShape,
  { lowest, folderFactor }: { readonly lowest: number; readonly folderFactor: number },
): Stretch[] {
  let top = lowest;
  if (end) while (top < names.length && names[top] === end[top]) top++;
  const stretches: Stretch[] = [];
  for (let level = Math.min(Math.max(page.level, top), names.length - 1); level >= top; level--) {
    const bound = level === top ? end?.[level] : undefined;
    const name = level === page.level ? page.name : new LevelName(names[level]!, level, shape);
    // The folder itself is counted below.
    const offset = level < page.level ? name.unit : 0;
    const toBound = name.widthTo(bound) - offset;
    // The folder may end before its last possible name.
    const width = level === page.level && bound === undefined ? Math.min(toBound, page.ahead) : toBound;
    if (width <= 0) continue;
    const pages =
      level === page.level
        ? width / page.width
        : (page.folderPages * folderFactor ** (page.level - level) * width) / name.total;
    // Of names that no number can hold nothing is known but that much may be left.
    stretches.push({
      level,
      name,
      offset,
      width,
      pages: Number.isNaN(pages) ? maxPages : Math.min(maxPages, pages),
    });
  }
  return stretches;
}

/** By whole characters. */
function firstDifference(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  let index = 0;
  while (index < left.length && left[index] === right[index]) index++;
  return index;
}
