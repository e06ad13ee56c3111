import { describe, expect, it } from 'vitest';
import { KeyShape } from '../../../lib/scan/steal/key-shape.js';
import { KnownFolders } from '../../../lib/scan/steal/known-folders.js';
import { guessWhatIsLeft } from '../../../lib/scan/steal/what-is-left.js';
import { Random } from '../../simulation/world/random.js';

const four = (value: number) => String(value).padStart(4, '0');
const random = new Random(5);
const numbers = Array.from({ length: 60 }, () => four(random.whole(0, 9_999)));
const asNumber = (cut: string) => Number(cut.slice(cut.lastIndexOf('/') + 1).padEnd(4, '0'));

/** The page between 1000 and 1100 is done: pages are a hundred numbers each. */
const page = { cursor: '1000', claimed: '1100' };

describe('what is left of a slice of numbers', () => {
  const shape = new KeyShape(numbers);
  const pagesOf = (slice: object, prefix = '') =>
    guessWhatIsLeft({ ...page, ...slice }, shape, prefix)?.pages;

  it('is what lies up to its end, by the page that was done last', () => {
    expect(pagesOf({ hi: '2100' })).toBeCloseTo(10);
    expect(pagesOf({})).toBeCloseTo(89);
    expect(pagesOf({ cursor: '1050', hi: '2100' })).toBeCloseTo(20);
    // A bound of other letters is as far as the end.
    expect(pagesOf({ hi: 'x' })).toBeCloseTo(89);
  });

  it('ends where nothing was seen above, unless the slice ends sooner, or has come further', () => {
    expect(pagesOf({ emptyAfter: '1600' })).toBeCloseTo(5);
    expect(pagesOf({ hi: '2100', emptyAfter: '1600' })).toBeCloseTo(5);
    expect(pagesOf({ hi: '2100', emptyAfter: '3000' })).toBeCloseTo(10);
    expect(pagesOf({ hi: '2100', emptyAfter: '1100' })).toBeCloseTo(10);
    expect(pagesOf({ hi: '2100', emptyAfter: '0500' })).toBeCloseTo(10);
    expect(pagesOf({ emptyAfter: '1050' })).toBeCloseTo(89);
  });

  it('is measured from the slice’s own beginning while no page is done, and not at all without one', () => {
    expect(pagesOf({ cursor: undefined, lo: '1000', hi: '2100' })).toBeCloseTo(10);
    expect(pagesOf({ cursor: undefined, hi: '2100' })).toBeUndefined();
    expect(pagesOf({ claimed: undefined, hi: '2100' })).toBeUndefined();
    expect(pagesOf({ cursor: '1100', hi: '2100' })).toBeUndefined();
  });

  it('does not look at the prefix of all keys, nor at what lies outside of it', () => {
    const prefixed = { cursor: 'p-1000', claimed: 'p-1100', hi: 'p-2100' };
    expect(pagesOf(prefixed, 'p-')).toBeCloseTo(10);
    expect(pagesOf({ ...prefixed, hi: 'q' }, 'p-')).toBeCloseTo(89);
    expect(pagesOf({ ...prefixed, claimed: '1100' }, 'p-')).toBeUndefined();
    expect(pagesOf({ ...prefixed, cursor: 'o' }, 'p-')).toBeUndefined();
  });

  it('is cut so far ahead as asked, inside of it or not at all', () => {
    const left = guessWhatIsLeft({ ...page, hi: '2100' }, shape, '')!;
    for (const pages of [1, 3, 5, 9]) {
      expect(asNumber(left.cutAhead(pages)!)).toBeCloseTo(1_100 + 100 * pages, -1);
    }
    for (const pages of [0, 10, 11, 1_000]) expect(left.cutAhead(pages)).toBeUndefined();
    // Behind where nothing was seen there may be something all the same: it is no bound, and not cut.
    const hinted = guessWhatIsLeft({ ...page, hi: '2100', emptyAfter: '1600' }, shape, '')!;
    expect(hinted.cutAhead(6)).toBeUndefined();
  });

  it('has no cut that may not be sent: not where its names have what some S3 mangles', () => {
    const odd = new KeyShape(numbers.map((number) => `%${number}`));
    const left = guessWhatIsLeft({ cursor: '%1000', claimed: '%1100', hi: '%2100' }, odd, '')!;
    expect(left.pages).toBeCloseTo(10);
    for (const pages of [1, 5, 9]) expect(left.cutAhead(pages)).toBeUndefined();
  });

  it('is nothing where its end lies before it by a hint that is stale', () => {
    expect(pagesOf({ hi: '1100' })).toBe(0);
  });
});

describe('what is left of a folder', () => {
  /** Files of folders that are numbered, too: work has come to these of them. */
  const files = (names: readonly string[]) => new KeyShape(names.map((name, i) => `f${i % 10}/${name}`));
  const inFolder = { cursor: 'f3/0800', claimed: 'f3/0900' };
  const low = Array.from({ length: 40 }, (_, i) => four(i === 7 ? 3_999 : 25 * i));
  const even = Array.from({ length: 40 }, (_, i) => four(Math.floor((3_999 * i) / 39)));

  it('goes up to the end of what can be written, where names are spread over that', () => {
    const left = guessWhatIsLeft({ ...inFolder, hi: 'f4' }, files(even), '')!;
    expect(left.pages).toBeCloseTo(31);
    expect(asNumber(left.cutAhead(20)!)).toBeCloseTo(2_900, -1);
  });

  it('is as much as there was so far, where most of the others have not come to the upper half', () => {
    const left = guessWhatIsLeft({ ...inFolder, hi: 'f4' }, files(low), '')!;
    expect(left.pages).toBeCloseTo(9);
    const far = { cursor: 'f3/3300', claimed: 'f3/3400', hi: 'f4' };
    expect(guessWhatIsLeft(far, files(low), '')!.pages).toBeCloseTo(6);
  });

  it('takes few for a chance as long as it may be one: three of twenty in the upper half, not two', () => {
    const rest = Array.from({ length: 17 }, (_, i) => four(113 * i));
    const pages = (...others: readonly string[]) =>
      guessWhatIsLeft({ ...inFolder, hi: 'f4' }, files([...rest, ...others]), '')!.pages;
    expect(pages('3999', '3100', '2500')).toBeCloseTo(31);
    expect(pages('3999', '3100', '1950')).toBeCloseTo(9);
  });

  it('is what lies up to its bound in that folder, whatever others have come to', () => {
    for (const names of [low, even]) {
      expect(guessWhatIsLeft({ ...inFolder, hi: 'f3/3900' }, files(names), '')!.pages).toBeCloseTo(30);
    }
  });

  it('is not the end where nobody has come further: there may be more than was seen', () => {
    const first = { cursor: 'f3/3900', claimed: 'f3/3999', hi: 'f4' };
    const left = guessWhatIsLeft(first, files(even), '')!;
    expect(left.pages).toBeGreaterThan(30);
    // At the top there is no folder around: what was seen there is the plan's.
    const flat = new KeyShape(even);
    expect(guessWhatIsLeft({ cursor: '3900', claimed: '3999' }, flat, '')!.pages).toBeLessThan(1);
  });

  it('comes with the folders behind it: each is as large as this one, and one above holds eight', () => {
    const shape = files(even);
    const here = guessWhatIsLeft({ ...inFolder, hi: 'f4' }, shape, '')!.pages;
    const two = guessWhatIsLeft({ ...inFolder, hi: 'f6' }, shape, '')!.pages;
    // A whole folder has forty pages; all ten together are taken for eight of them.
    expect(two - here).toBeCloseTo((8 * 40 * 2) / 10);
    const all = guessWhatIsLeft(inFolder, shape, '')!;
    expect(all.pages - here).toBeCloseTo((8 * 40 * 6) / 10);
    // Cuts behind this folder lie in those.
    expect(all.cutAhead(here + 100)).toMatch(/^f7/);
    expect(all.cutAhead(here - 1)).toMatch(/^f3\//);
  });

  it('is as many folders as the plan has seen in one, where that is fewer than eight', () => {
    const shape = files(even);
    const folders = new KnownFolders(['a/1/', 'a/2/', 'b/1/', 'b/2/'], '');
    const none = guessWhatIsLeft(inFolder, shape, '')!.pages;
    const known = guessWhatIsLeft(inFolder, shape, '', { folders, pagesPerFolder: 1 });
    const here = guessWhatIsLeft({ ...inFolder, hi: 'f4' }, shape, '')!.pages;
    expect(known!.pages - here).toBeCloseTo((none - here) / 4);
  });

  it('says nothing while its page began in another one, but for a page that was done', () => {
    const shape = files(even);
    const fresh = { lo: 'f2/3000', claimed: 'f3/0900' };
    expect(guessWhatIsLeft(fresh, shape, '')).toBeUndefined();
    expect(guessWhatIsLeft({ ...fresh, cursor: 'f2/3000' }, shape, '')!.pages).toBeGreaterThan(0);
    expect(guessWhatIsLeft({ lo: 'f3/0800', claimed: 'f3/0900' }, shape, '')!.pages).toBeGreaterThan(0);
  });

  it('is bounded, however long names are', () => {
    const shape = new KeyShape(['a'.repeat(60), 'z'.repeat(60)]);
    const slice = { cursor: 'c'.repeat(60), claimed: `${'c'.repeat(59)}d` };
    expect(guessWhatIsLeft(slice, shape, '')!.pages).toBe(1e15);
  });
});
