import { compareKeys, isLegalCharacter, isLegalCut } from './key-order.js';

const partsBetween = 64;

/**
 * The characters seen in keys. Cuts are invented out of these: a middle between `0` and `9` that keys can have
 * is worth more than one that they can't.
 */
export class Alphabet {
  readonly #seen = new Set<number>();
  #sorted: readonly number[] | undefined = [];

  /** Takes in a key's characters, from `start` on; those that may not stand in a cut are left out. */
  add(key: string, start = 0): void {
    for (const character of key.slice(start)) {
      const point = character.codePointAt(0)!;
      if (this.#seen.has(point) || !isLegalCharacter(character)) continue;
      this.#seen.add(point);
      this.#sorted = undefined;
    }
  }

  /** Takes in some characters between two code points, evenly spaced: for scripts too large to have been seen. */
  addBetween(low: number, high: number): void {
    for (let part = 1; part < partsBetween; part++) {
      this.add(String.fromCodePoint(low + Math.round(((high - low) * part) / partsBetween)));
    }
  }

  /** The number of digits, 0 for "the key ends here" included. */
  get base(): number {
    return this.#points.length + 1;
  }

  /** A character's place, from 1; one that was never seen counts as the next lower one that was. */
  digitOf(point: number): number {
    const points = this.#points;
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle]! <= point) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The character of a digit from 1 to `base` - 1. */
  characterOf(digit: number): string {
    return String.fromCodePoint(this.#points[digit - 1]!);
  }

  get #points(): readonly number[] {
    this.#sorted ??= [...this.#seen].sort((a, b) => a - b);
    return this.#sorted;
  }
}

/** Digits looked at behind the first difference. */
const finerDigits = 6;

/** What a middle is looked for in. */
export interface KeyRange {
  /** The middle is at or above this. */
  readonly low: string;
  /** The middle is below this; absent: open, up to the last key that begins with `stem`. */
  readonly high: string | undefined;
  /** What all keys in question begin with. */
  readonly stem: string;
}

/**
 * The middle of a key range, as if keys were fractions written in the characters seen: at the first position at
 * which the bounds differ, or as soon behind it as there is room.
 *
 * @param prefix the user's own, for the test of the cut
 * @returns the shortest such string with `low <= middle < high`, or `undefined` if there is none that is legal
 */
export function findMiddle(range: KeyRange, alphabet: Alphabet, prefix: string): string | undefined {
  if (alphabet.base < 2) return undefined;
  const { low, high, stem } = range;
  const start = high === undefined ? stem : low.slice(0, sharedLength(low, high));
  const digits = average(
    toDigits(low, start, alphabet, 0),
    high === undefined ? topDigits(alphabet) : toDigits(high, start, alphabet, 0),
    alphabet.base,
  );
  let middle = start;
  for (const digit of digits) {
    middle += alphabet.characterOf(Math.max(1, digit));
    if (compareKeys(low, middle) > 0) continue;
    if (high !== undefined && compareKeys(middle, high) >= 0) continue;
    if (isLegalCut(middle, prefix)) return middle;
  }
  return undefined;
}

/** How wide a range is, as a part of all that begins with `stem`, in [0, 1]. */
export function measureWidth(range: KeyRange, alphabet: Alphabet): number {
  const { low, high, stem } = range;
  const top = high === undefined ? 1 : toFraction(toDigits(high, stem, alphabet, 0), alphabet.base);
  return Math.max(0, top - toFraction(toDigits(low, stem, alphabet, 0), alphabet.base));
}

/** The length of what two keys begin with together, in UTF-16 units, by whole characters. */
export function sharedLength(a: string, b: string): number {
  let length = 0;
  for (const character of a) {
    if (!b.startsWith(character, length)) break;
    length += character.length;
  }
  return length;
}

function toDigits(key: string, start: string, alphabet: Alphabet, fill: number): number[] {
  const digits: number[] = [];
  for (const character of key.slice(start.length)) {
    if (digits.length === finerDigits) break;
    digits.push(alphabet.digitOf(character.codePointAt(0)!));
  }
  while (digits.length < finerDigits) digits.push(fill);
  return digits;
}

function topDigits(alphabet: Alphabet): number[] {
  return new Array<number>(finerDigits).fill(alphabet.base - 1);
}

/** Half of the sum of two fractions, digit by digit. */
function average(a: readonly number[], b: readonly number[], base: number): number[] {
  const sum: number[] = [];
  let carry = 0;
  for (let index = a.length - 1; index >= 0; index--) {
    const total = a[index]! + b[index]! + carry;
    sum[index] = total % base;
    carry = total >= base ? 1 : 0;
  }
  let rest = carry;
  return sum.map((digit) => {
    const total = rest * base + digit;
    rest = total % 2;
    return Math.floor(total / 2);
  });
}

function toFraction(digits: readonly number[], base: number): number {
  return digits.reduceRight((fraction, digit) => (fraction + digit) / base, 0);
}
