import { describe, expect, it } from 'vitest';
import { KeyShape } from '../../../lib/scan/steal/key-shape.js';
import { guessWhatIsLeft } from '../../../lib/scan/steal/what-is-left.js';

// S3 keys have up to 1,024 bytes: as numbers, names that long are beyond what a `number` can hold.
describe('long names with a long common beginning', () => {
  const lengths = [10, 200, 250, 500, 1_000];
  const beginnings = ['a', 'ab', '0', 'z', 'f/a'];

  it.each(beginnings)('have something left up to an open end, as short ones do: %s…', (beginning) => {
    for (const length of lengths) {
      const common = beginning.repeat(length / beginning.length);
      const shape = new KeyShape([`${common}x4`, `${common}m5`]);
      const left = guessWhatIsLeft({ cursor: `${common}d1`, claimed: `${common}e5` }, shape, '')!;
      expect(left.pages).toBeGreaterThan(3);
    }
  });

  it.each(beginnings)('are cut inside what is left, or not at all: %s…', (beginning) => {
    for (const length of lengths) {
      const common = beginning.repeat(length / beginning.length);
      const shape = new KeyShape([`${common}x4`, `${common}m5`]);
      const claimed = `${common}e5`;
      for (const hi of [undefined, `${common}z`, `${common.slice(0, 5)}~`, 'z~']) {
        const left = guessWhatIsLeft({ cursor: `${common}d1`, claimed, ...(hi && { hi }) }, shape, '')!;
        expect(left.pages).toBeGreaterThanOrEqual(0);
        const cut = left.cutAhead(left.pages / 2);
        if (cut === undefined) continue;
        expect(cut > claimed).toBe(true);
        if (hi !== undefined) expect(cut < hi).toBe(true);
      }
    }
  });

  it.each(beginnings)('have as much left as short ones up to an end that begins alike: %s…', (beginning) => {
    const pages = lengths.map((length) => {
      const common = beginning.repeat(length / beginning.length);
      const shape = new KeyShape([`${common}x4`, `${common}m5`]);
      const slice = { cursor: `${common}d1`, claimed: `${common}e5`, hi: `${common}z` };
      const left = guessWhatIsLeft(slice, shape, '')!;
      expect(left.cutAhead(left.pages / 2)!.slice(0, -2)).toBe(`${common}o`.slice(0, -1));
      return left.pages;
    });
    for (const other of pages) expect(other).toBeCloseTo(pages[0]!);
  });
});
