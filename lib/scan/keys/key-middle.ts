import type { Alphabet } from './alphabet.js';
import { isLegalCut } from './cut.js';
import { compareKeys } from './key-order.js';

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
  const sum = new Array<number>(a.length).fill(0);
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
