import { describe, expect, it } from 'vitest';
import { compareKeys } from '../../../lib/scan/index.js';
import { KeyShape } from '../../../lib/scan/steal/key-shape.js';
import { KnownFolders } from '../../../lib/scan/steal/known-folders.js';
import { guessWhatIsLeft } from '../../../lib/scan/steal/what-is-left.js';

const days = ['01', '02', '03', '04', '05'].map((day) => `e/${day}/`);
const folders = new KnownFolders(days, '');
const shape = new KeyShape(['e/02/part-0500', 'e/03/part-0100']);
const atWork = { lo: 'e/02/part-0100', cursor: 'e/02/part-0300', claimed: 'e/02/part-0400' };

describe('folders that the plan has seen', () => {
  it('tell which one a key lies in, and how many lie before a bound', () => {
    expect(folders.containing('e/03/x')).toBe('e/03/');
    expect(folders.containing('e/03')).toBeUndefined();
    expect(folders.containing('e/06/x')).toBeUndefined();
    expect([folders.countUpTo('e/'), folders.countUpTo('e/02/'), folders.countUpTo(undefined)]).toEqual([
      0, 2, 5,
    ]);
  });

  it('hold what the slices have done, by the folders that they have come through', () => {
    const slices = [
      { claimed: 'e/03/x', progress: 30 },
      { lo: 'e/04/', claimed: 'e/04/x', progress: 10 },
    ];
    expect(folders.pagesPerFolder(slices)).toBeCloseTo(40 / 3);
    expect(folders.pagesPerFolder([])).toBe(1);
    // One that nobody has begun has come through none.
    expect(folders.pagesPerFolder([...slices, { progress: 0 }])).toBeCloseTo(40 / 3);
    expect(folders.pagesPerFolder([{ progress: 0 }])).toBe(1);
    // Half of a folder at the least: it stands in one.
    expect(folders.pagesPerFolder([{ lo: 'e/04/', claimed: 'e/04/x', progress: 10 }])).toBe(20);
  });

  it('are counted in what is left of a slice, and cut between', () => {
    const left = guessWhatIsLeft({ ...atWork, hi: 'e/06' }, shape, '', { folders, pagesPerFolder: 100 })!;
    const inFolder = guessWhatIsLeft({ ...atWork, hi: 'e/03' }, shape, '', { folders, pagesPerFolder: 100 })!;
    expect(left.pages).toBeCloseTo(inFolder.pages + 300);
    expect(left.cutAhead(inFolder.pages + 10)).toBe('e/03');
    expect(left.cutAhead(inFolder.pages + 250)).toBe('e/05');
    expect(left.cutAhead(left.pages + 1)).toBeUndefined();
  });

  it('leave nothing to guess between them: above the folder at hand nothing is taken to lie', () => {
    const pages = 100;
    const known = guessWhatIsLeft(atWork, shape, '', { folders, pagesPerFolder: pages })!;
    const last = { lo: 'e/05/', cursor: 'e/05/part-0300', claimed: 'e/05/part-0400' };
    const ofLast = guessWhatIsLeft(last, shape, '', { folders, pagesPerFolder: pages })!;
    expect(known.pages - ofLast.pages).toBeCloseTo(3 * pages);
    expect(guessWhatIsLeft(last, shape, '')!.pages).toBeGreaterThan(ofLast.pages);
  });

  it('serve a slice of which nothing else is known', () => {
    const fresh = { lo: 'e/01/', claimed: 'e/02/part-0001' };
    expect(guessWhatIsLeft(fresh, shape, '')).toBeUndefined();
    expect(guessWhatIsLeft(fresh, shape, '', { folders, pagesPerFolder: 7 })?.pages).toBe(21);
  });

  it('are hints: a cut lies between what is claimed and the end, or there is none', () => {
    const stale = new KnownFolders(['e/01/', 'e/02/', 'e/99/', 'm/'], '');
    const inFolder = atWork;
    // A file whose name begins like a folder's comes before that: so does the cut.
    const besideOne = { lo: 'e/99/', cursor: 'm', claimed: 'm!' };
    for (const { claimed, ...rest } of [inFolder, besideOne]) {
      for (const hi of [`${claimed}0`, 'e/99/', 'm/x', undefined]) {
        if (hi !== undefined && compareKeys(hi, claimed) < 0) continue;
        const slice = { ...rest, claimed, ...(hi !== undefined && { hi }) };
        const left = guessWhatIsLeft(slice, shape, '', { folders: stale, pagesPerFolder: 9 });
        for (let pages = 0; left && pages <= 3 * left.pages; pages += left.pages / 50 || 1) {
          const cut = left.cutAhead(pages);
          if (cut === undefined) continue;
          expect(compareKeys(cut, claimed)).toBe(1);
          if (hi !== undefined) expect(compareKeys(cut, hi)).toBe(-1);
        }
      }
    }
  });
});
