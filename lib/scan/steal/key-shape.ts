/** Between folders. */
export const separator = '/';

/** Keys that are spread evenly look narrower than their kind of character by chance this often: more is no chance. */
const chance = 0.001;

/** Names of a level that are compared with one: more cost time and tell no more. */
const maxNames = 100;

/** Above it scripts have up to thousands of characters. */
const firstLargeScript = 0x2000;

/** Characters of a small script, and how many stand for what lies between two scripts. */
const scriptSize = 0x80;
const largeScriptSize = 0x1000;
const charactersForGap = 32;

/** A range of characters that stand at one place, by code point, both included. */
interface Characters {
  readonly first: number;
  readonly last: number;
}

/** What was seen of one kind of character at one place. */
interface Seen {
  /** All characters of the kind. */
  readonly all: Characters;
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
  /** The same, without taking what was never seen of a kind for what is never there. */
  readonly wide: Place;

  constructor(ranges: readonly Characters[], wide?: readonly Characters[]) {
    this.#ranges = ranges;
    this.wide = wide ? new Place(wide) : this;
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

/** What stands at a place, by the kind of character in front of it. */
type PlaceByKind = ReadonlyMap<number, Place>;

/** In front of a name's first place. */
const nothing = -1;

/**
 * What keys look like: which characters stand at which place of which folder level, behind which kind of character (words
 * are of one script). From few keys, one of each slice: many of one slice lie next to each other and say nothing of the
 * rest.
 */
export class KeyShape {
  readonly #levels: readonly (readonly PlaceByKind[])[];
  readonly #names: readonly (readonly string[])[];

  /**
   * @param claimed a key of each slice, without the run's prefix: where its work has come to
   * @param cuts of the plan, without the run’s prefix. @default none
   */
  constructor(claimed: readonly string[], cuts: readonly string[] = []) {
    const levels: Map<number, Map<number, Seen>>[][] = [];
    for (const key of [...claimed, ...cuts]) {
      for (const [level, name] of key.split(separator).entries()) {
        levels[level] ??= [];
        noteName(levels[level], name);
      }
    }
    const split = claimed.slice(-maxNames).map((key) => key.split(separator));
    this.#names = levels.map((_, level) => split.flatMap((names) => names[level] ?? []));
    this.#levels = levels.map((places) =>
      places.map((kinds) => new Map([...kinds].map(([kind, seen]) => [kind, toPlace(seen)]))),
    );
  }

  /** The names on a level at which work has come to. */
  names(level: number): readonly string[] {
    return this.#names[level] ?? [];
  }

  /**
   * A place of the names on a level.
   *
   * @param before the character in front of it
   * @returns `undefined` if no name was seen that has one there
   */
  place(level: number, index: number, before: string | undefined): Place | undefined {
    return this.#levels[level]?.[index]?.get(before === undefined ? nothing : kindId(before.codePointAt(0)!));
  }
}

function noteName(places: Map<number, Map<number, Seen>>[], name: string): void {
  let before = nothing;
  for (const [index, character] of [...name].entries()) {
    const point = character.codePointAt(0)!;
    places[index] ??= new Map();
    const kinds = places[index];
    const seen = kinds.get(before) ?? new Map<number, Seen>();
    kinds.set(before, seen);
    note(seen, point);
    before = kindId(point);
  }
}

function note(kinds: Map<number, Seen>, point: number): void {
  const id = kindId(point);
  const seen = kinds.get(id);
  if (!seen) kinds.set(id, { all: kindOf(point), count: 1, first: point, last: point });
  else {
    seen.count += 1;
    seen.first = Math.min(seen.first, point);
    seen.last = Math.max(seen.last, point);
  }
}

/** Characters that belong together, by their first one. */
function kindId(point: number): number {
  return kindOf(point).first;
}

const kinds: readonly Characters[] = [
  { first: 0x30, last: 0x39 },
  { first: 0x41, last: 0x5a },
  { first: 0x61, last: 0x7a },
];

/** A kind of ASCII, of which a sign stands for itself; or neighbours of a script. */
function kindOf(point: number): Characters {
  if (point < 0x80) {
    const kind = kinds.find(({ first, last }) => first <= point && point <= last);
    return kind ?? { first: point, last: point };
  }
  const size = point < firstLargeScript ? scriptSize : largeScriptSize;
  const first = point - (point % size);
  return { first, last: first + size - 1 };
}

function toPlace(seen: ReadonlyMap<number, Seen>): Place {
  const kinds = [...seen.values()].sort((a, b) => a.first - b.first);
  const ranges = kinds.map(({ all, count, first, last }) => {
    const size = all.first < 0x80 ? all.last - all.first + 1 : likelySize(all.first);
    const share = (last - first + 1) / size;
    return share ** count < chance ? { first, last } : all;
  });
  return new Place(withGaps(ranges), withGaps(kinds.map(({ all }) => all)));
}

/** A script uses few of the characters of its block. */
function likelySize(point: number): number {
  return point < firstLargeScript ? 32 : 64;
}

/** Between two scripts there may be others that nobody has come to yet: some characters stand for them, near ones more. */
function withGaps(ranges: readonly Characters[]): Characters[] {
  return ranges.flatMap((range, index) => {
    const before = ranges[index - 1];
    const gap = before ? range.first - before.last : 0;
    if (!before || gap <= scriptSize) return [range];
    const points = Array.from(
      { length: charactersForGap },
      (_, part) => before.last + Math.round(gap ** ((part + 1) / (charactersForGap + 1))),
    );
    return [...new Set(points)]
      .filter((point) => point > before.last && point < range.first)
      .map((point) => ({ first: point, last: point }))
      .concat(range);
  });
}
