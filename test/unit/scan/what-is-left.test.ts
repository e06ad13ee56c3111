import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compareKeys, isLegalCut } from '../../../lib/scan/keys/key-order.js';
import { KeyShape } from '../../../lib/scan/steal/key-shape.js';
import { guessWhatIsLeft } from '../../../lib/scan/steal/what-is-left.js';
import { Random } from '../../simulation/world/random.js';

const pageSize = 20;
const sliceCount = 32;
const digits = (number: number, places: number) => String(number).padStart(places, '0');
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const filled = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).sort(compareKeys);

/** Keys of a bucket, and by how many times a guess may be off, for half of the slices. */
const layouts: readonly (readonly [string, readonly string[], number])[] = [
  ['names at random', filled(20_000, (i) => hash(`${i}`).slice(0, 16)), 1.3],
  ['names at random behind a common beginning', filled(20_000, (i) => `run-7/part-${hash(`${i}`)}`), 1.3],
  ['decimal numbers', filled(20_000, (i) => digits(Math.floor(i * 49.9), 6)), 1.3],
  [
    'numbered folders of numbered files',
    filled(20_000, (i) => `f-${digits(Math.floor(i / 200), 2)}/${digits(i % 200, 3)}`),
    4.5,
  ],
  [
    'folders at random, of names at random',
    filled(20_000, (i) => `${hash(`d${i % 64}`).slice(0, 4)}/${hash(`${i}`).slice(0, 8)}`),
    3,
  ],
  [
    'dates',
    filled(
      20_000,
      (i) => `2024/${digits(1 + (i % 12), 2)}/${digits(1 + (i % 28), 2)}/${hash(`${i}`).slice(0, 6)}`,
    ),
    4,
  ],
  [
    'words of a small script',
    filled(20_000, (i) =>
      [...hash(`${i}`).slice(0, 8)].map((c) => String.fromCodePoint(0x3b1 + Number.parseInt(c, 16))).join(''),
    ),
    1.5,
  ],
];

interface Guess {
  /** Pages that are guessed, by those that there are. */
  readonly ratio: number;
  /** How much of what is left a cut leaves, that was asked for in its middle; `undefined` without a cut. */
  readonly share: number | undefined;
}

/** Slices of equal size, each somewhere in the middle of its work; what is guessed of each. */
function guessesOf(keys: readonly string[], prefix: string): readonly Guess[] {
  const random = new Random(1);
  const size = Math.floor(keys.length / sliceCount);
  const slices = Array.from({ length: sliceCount }, (_, number) => {
    const claimed = number * size + pageSize * random.whole(2, Math.floor(size / pageSize) - 4);
    return { lo: number * size, claimed, cursor: claimed - pageSize, hi: (number + 1) * size };
  });
  const shape = new KeyShape(slices.map(({ claimed }) => keys[claimed]!.slice(prefix.length)));
  return slices.map(({ lo, claimed, cursor, hi }) => {
    const slice = { lo: keys[lo]!, claimed: keys[claimed]!, cursor: keys[cursor]!, hi: keys[hi] };
    const left = guessWhatIsLeft(slice, shape, prefix)!;
    const pages = (Math.min(hi, keys.length) - claimed) / pageSize;
    const cut = left.cutAhead(left.pages / 2);
    if (cut === undefined) return { ratio: left.pages / pages, share: undefined };
    expect(compareKeys(slice.claimed, cut)).toBeLessThan(0);
    if (slice.hi !== undefined) expect(compareKeys(cut, slice.hi)).toBeLessThan(0);
    expect(isLegalCut(cut, prefix)).toBe(true);
    const behind = keys.slice(claimed, hi).filter((key) => compareKeys(key, cut) >= 0).length;
    return { ratio: left.pages / pages, share: behind / pageSize / pages };
  });
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

describe('what is guessed to be left of a slice', () => {
  it.each(layouts)('is about what there is: %s', (_what, keys, times) => {
    // The last slice ends nowhere.
    const guesses = guessesOf(keys, '').slice(0, -1);
    const off = guesses.map(({ ratio }) => Math.max(ratio, 1 / ratio));
    expect(median(off)).toBeLessThan(times);
  });

  it.each(layouts)('is cut so that both parts have something to do: %s', (_what, keys, times) => {
    const shares = guessesOf(keys, '')
      .slice(0, -1)
      .flatMap(({ share }) => share ?? []);
    expect(shares.length).toBeGreaterThan(sliceCount / 2);
    expect(median(shares)).toBeGreaterThan(0.5 / times);
    expect(median(shares)).toBeLessThan(1 - 0.5 / times);
  });

  it.each(layouts)('does not hang on a prefix that all keys have: %s', (_what, keys) => {
    const prefix = 'a/b-';
    const prefixed = keys.map((key) => prefix + key);
    expect(guessesOf(prefixed, prefix)).toEqual(guessesOf(keys, ''));
  });
});
