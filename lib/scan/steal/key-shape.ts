/** Between folders. */
export const separator = '/';

/** Keys that are spread evenly look narrower than their kind of character by chance this often: more is no chance. */
const chance = 0.001;

/** Above it scripts have thousands of characters that lie next to each other. */
const firstLargeScript = 0x2000;

/** A range of characters that stand at one place, by code point, both included. */
interface Characters {
  readonly first: number;
  readonly last: number;
}

/** What was seen of one kind of character at one place. */
interface Seen {
  /** All characters of the kind; absent: the kind has no end that is known. */
  readonly all: Characters | undefined;
  count: number;
  first: number;
  last: number;
}

/**
 * The characters at one place of a folder's or a file's name, as digits of a number: what is between two of them can be
 * divided. Digits are those of the order of code points, without what was never seen there.
 */
export class Place {
  readonly #ranges: readonly Characters[];
  /** The number of digits. */
  readonly base: number;

  constructor(ranges: readonly Characters[]) {
    this.#ranges = ranges;
    this.base = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** A character's digit; one that is not among them has that of the next higher one, or `base`. */
  digitOf(point: number): number {
    let digit = 0;
    for (const { first, last } of this.#ranges) {
      if (point < first) return digit;
      if (point <= last) return digit + point - first;
      digit += last - first + 1;
    }
    return digit;
  }

  /** The character of a digit from 0 to `base` - 1. */
  characterOf(digit: number): string {
    let left = digit;
    for (const { first, last } of this.#ranges) {
      if (left <= last - first) return String.fromCodePoint(first + left);
      left -= last - first + 1;
    }
    throw new RangeError(`no character has the digit ${digit}`);
  }
}

/**
 * What keys look like: which characters stand at which place of which folder level. From few keys, one of each slice:
 * many of one slice lie next to each other and say nothing of the rest.
 */
export class KeyShape {
  readonly #levels: readonly (readonly Place[])[];

  /**
   * @param keys samples, without the run's prefix
   */
  constructor(keys: Iterable<string>) {
    const seen: Map<number, Seen>[][] = [];
    for (const key of keys) {
      for (const [level, name] of key.split(separator).entries()) {
        seen[level] ??= [];
        const places = seen[level];
        for (const [place, character] of [...name].entries()) {
          places[place] ??= new Map();
          note(places[place], character.codePointAt(0)!);
        }
      }
    }
    this.#levels = seen.map((places) => places.map(toPlace));
  }

  /** A place of the names on a level; `undefined` if no name was seen that is so long. */
  place(level: number, index: number): Place | undefined {
    return this.#levels[level]?.[index];
  }
}

function note(kinds: Map<number, Seen>, point: number): void {
  const all = kindOf(point);
  // Where the kind has no end, neighbours within a block belong together.
  const id = all?.first ?? (point < firstLargeScript ? point & ~0x7f : firstLargeScript);
  const seen = kinds.get(id);
  if (!seen) kinds.set(id, { all, count: 1, first: point, last: point });
  else {
    seen.count += 1;
    seen.first = Math.min(seen.first, point);
    seen.last = Math.max(seen.last, point);
  }
}

const kinds: readonly Characters[] = [
  { first: 0x30, last: 0x39 },
  { first: 0x41, last: 0x5a },
  { first: 0x61, last: 0x7a },
];

function kindOf(point: number): Characters | undefined {
  if (point >= 0x80) return undefined;
  // A sign of ASCII stands for itself.
  return kinds.find(({ first, last }) => first <= point && point <= last) ?? { first: point, last: point };
}

function toPlace(seen: ReadonlyMap<number, Seen>): Place {
  const ranges = [...seen.values()].map(({ all, count, first, last }) => {
    if (!all) return { first, last };
    const share = (last - first + 1) / (all.last - all.first + 1);
    return share ** count < chance ? { first, last } : all;
  });
  return new Place(ranges.sort((a, b) => a.first - b.first));
}
