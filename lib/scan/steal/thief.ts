import type { LeaseContext } from '../../lease/index.js';
import { Alphabet, findMiddle } from '../keys/key-middle.js';
import { compareKeys, topCharacter } from '../keys/key-order.js';

import { publishScan } from '../seats/scan-events.js';
import type { SeatHost } from '../seats/seat-host.js';
import { parseSliceId, type SliceItem } from '../slices/slice.js';
import { hasPendingChild, materialiseChild, splitSlice } from '../slices/slice-creation.js';

import { KeyShape } from './key-shape.js';
import { KnownFolders, type SeenSlice } from './known-folders.js';
import { guessWhatIsLeft, type WhatIsLeft } from './what-is-left.js';

/** With less left a split costs more than it gives. */
const minPagesLeft = 3;

/** One of the best so many parts is taken: always the best, and thieves would meet there. */
const bestPart = 5;

/** Refused, another; then a new look. */
const maxTries = 3;

/** Half of what is left, give or take this part: two thieves in a row make two cuts. */
const spread = 0.05;

/** A guess above this may well be far off: the cut goes less far ahead, where it is surely of use. */
const maxTrustedPages = 20_000;

/** A slice that others work on, and what is left of it. */
interface Victim {
  readonly slice: SliceItem;
  readonly left: WhatIsLeft;
}

/** What a look at the slices that others hold came to. */
export interface Loot {
  /** The name of the slice that was split off. */
  readonly stolen: string | undefined;
  /** Whether something may be worth stealing a moment later: it has not moved since it was split or taken. */
  readonly mayComeUp: boolean;
}

/**
 * Splits slices that others work on, for a seat that finds none free (scan page, "Splitting a running slice"). There is no
 * probe: the cut is a guess, and the first page behind it shows what it was worth.
 */
export class Thief {
  readonly #host: SeatHost;
  /** Each slice, as it was seen last: what keys look like, and what a folder holds. */
  readonly #samples = new Map<string, SeenSlice & { readonly claimed: string }>();
  readonly #folders: KnownFolders | undefined;

  constructor(host: SeatHost) {
    const { folders, prefix } = host.run;
    this.#host = host;
    this.#folders = folders && new KnownFolders(folders, prefix);
  }

  /** A slice was read. */
  sees({ name, lo, claimed, progress }: SliceItem): void {
    if (claimed === undefined) return;
    // The latest stand last.
    this.#samples.delete(name);
    this.#samples.set(name, { ...(lo !== undefined && { lo }), claimed, progress });
  }

  /**
   * Splits one of these slices, if one is worth it.
   *
   * @param held slices that others hold, as they were read a moment ago
   * @throws StoreError
   */
  async steal(held: readonly SliceItem[]): Promise<Loot> {
    if (held.length === 0) return { stolen: undefined, mayComeUp: false };
    const { run, context } = this.#host;
    const withoutPrefix = (keys: readonly string[]) =>
      keys.filter((key) => key.startsWith(run.prefix)).map((key) => key.slice(run.prefix.length));
    // The plan saw a key with that character.
    const seenLast = run.emptyAfter?.endsWith(topCharacter)
      ? [run.emptyAfter.slice(0, -topCharacter.length)]
      : [];
    const shape = new KeyShape(
      withoutPrefix([...this.#samples.values()].map(({ claimed }) => claimed)),
      withoutPrefix([...run.cuts, ...seenLast]),
    );
    const known = this.#folders && {
      folders: this.#folders,
      pagesPerFolder: this.#folders.pagesPerFolder(this.#samples.values()),
    };
    let mayComeUp = false;
    const victims: Victim[] = [];
    for (const slice of held) {
      const left = guessWhatIsLeft(slice, shape, run.prefix, known);
      if (left && left.pages < minPagesLeft) continue;
      if (left && slice.progress > slice.splitProgress && !hasPendingChild(slice))
        victims.push({ slice, left });
      else mayComeUp = true;
    }
    victims.sort((a, b) => b.left.pages - a.left.pages);
    for (let tries = 0; tries < maxTries && victims.length > 0; tries++) {
      const best = Math.ceil(victims.length / bestPart);
      const [victim] = victims.splice(Math.floor(context.runtime.random() * best), 1);
      const stolen = await this.#split(victim!);
      if (stolen !== undefined) return { stolen, mayComeUp: true };
      mayComeUp = true;
    }
    return { stolen: undefined, mayComeUp };
  }

  /**
   * Half of the keys that could be left: what lies there may be nothing, but each such cut brings the end nearer, and no
   * slice stays whole because its names tell nothing.
   */
  #middle({ claimed, hi }: SliceItem): string | undefined {
    const { prefix } = this.#host.run;
    if (claimed === undefined) return undefined;
    const alphabet = new Alphabet();
    for (const seen of this.#samples.values()) alphabet.add(seen.claimed, prefix.length);
    const middle = findMiddle({ low: claimed, high: hi, stem: prefix }, alphabet, prefix);
    return middle !== undefined && compareKeys(claimed, middle) < 0 ? middle : undefined;
  }

  async #split({ slice, left }: Victim): Promise<string | undefined> {
    const { run, seat, context, signal } = this.#host;
    // Where a place is too fine to be told apart the middle is not; and where names say nothing keys can still be halved.
    const cut =
      left.cutAhead(pagesAhead(left.pages, context)) ?? left.cutAhead(left.pages / 2) ?? this.#middle(slice);
    if (cut === undefined) return undefined;
    const child = await splitSlice(context, slice, cut, signal);
    const { name } = slice;
    const victim = { run: run.run, seat, slice: parseSliceId(name), name, owner: slice.owner };
    if (!child) {
      publishScan('scan-split-refused', { ...victim, cut });
      return undefined;
    }
    publishScan('scan-slice-split', { ...victim, cut, child: child.id, hi: child.hi, pagesLeft: left.pages });
    await materialiseChild(context, run.run, { ...slice, child }, signal);
    return child.id;
  }
}

function pagesAhead(pages: number, { runtime }: LeaseContext): number {
  const ahead = pages > maxTrustedPages ? Math.sqrt(100 * pages) : pages / 2;
  return ahead * (1 + spread * (2 * runtime.random() - 1));
}
