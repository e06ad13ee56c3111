import { describe, expect, it } from 'vitest';
import { topCharacter } from '../../../lib/scan/keys/key-order.js';
import { cutsFor } from '../../support/scan/planning.js';

const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);

describe('the cuts of a plan', () => {
  it('are none for one page, whatever was given', async () => {
    const { cuts, emptyAfter, bucket } = await cutsFor(8, { keys: numbered(10, 'k'), pageSize: 10 }, [
      'k005',
    ]);
    expect({ cuts, emptyAfter }).toEqual({ cuts: [], emptyAfter: undefined });
    expect(bucket.asked).toHaveLength(1);
  });

  it('are none for an empty prefix', async () => {
    expect((await cutsFor(8, { keys: ['x'], prefix: 'p/' }, ['p/5'])).cuts).toEqual([]);
  });

  it('of a few pages are their ends, the last one apart, and those that were given', async () => {
    const { cuts, bucket } = await cutsFor(8, { keys: numbered(25, 'k') }, ['k022', 'k005', 'k009']);
    expect(cuts).toEqual(['k005', 'k009', 'k019', 'k022']);
    expect(bucket.asked).toHaveLength(3);
  });

  it('leave out what was given outside of the prefix, and the prefix itself', async () => {
    const { cuts } = await cutsFor(8, { keys: numbered(15, 'p/'), prefix: 'p/' }, ['p/', 'o', 'q', 'p/002']);
    expect(cuts).toEqual(['p/002', 'p/009']);
  });

  it('are none where one slice is wanted, and no more is asked for', async () => {
    const { cuts, bucket } = await cutsFor(1, { keys: numbered(99, 'k') });
    expect(cuts).toEqual([]);
    expect(bucket.asked).toHaveLength(1);
  });

  it('are those given where one slice is wanted', async () => {
    expect((await cutsFor(1, { keys: numbered(99, 'k') }, ['k050'])).cuts).toEqual(['k050']);
  });

  it('are evenly spaced groups where there are enough, each before the first key of its group', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((group) =>
      numbered(20, `p/${group}${group}/`),
    );
    const { cuts, bucket } = await cutsFor(4, { keys, prefix: 'p/' });
    expect(cuts).toEqual(['p/c', 'p/e', 'p/g']);
    expect(bucket.asked.filter(({ Delimiter }) => Delimiter === '/')).toHaveLength(1);
  });

  it('take every group, and the middle of the widest, where there are fewer groups than slices', async () => {
    const keys = ['a', 'b'].flatMap((group) => numbered(90, `${group}/`));
    const { cuts, emptyAfter } = await cutsFor(4, { keys, limit: 40 });
    expect(cuts).toContain('b');
    expect(cuts).toHaveLength(3);
    expect(emptyAfter).toMatch(/^b/);
  });

  it('take no group where there is only one', async () => {
    const { cuts } = await cutsFor(3, { keys: numbered(90, 'one/') });
    for (const cut of cuts) expect(cut.startsWith('one/0')).toBe(true);
    expect(cuts.length).toBeGreaterThan(0);
  });

  it('leave out groups that no character can tell from the one before', async () => {
    const keys = [...numbered(20, '$/'), ...numbered(20, '%z/'), ...numbered(20, 'b/')];
    const { cuts } = await cutsFor(3, { keys });
    expect(cuts).not.toContain(`$/${topCharacter}`);
    expect(cuts).toContain('b');
  });

  it('without groups, take the middle of the characters seen', async () => {
    const { cuts, emptyAfter, bucket } = await cutsFor(4, {
      keys: numbered(1_000, 'k'),
      pageSize: 100,
      limit: 40,
    });
    expect(cuts).toHaveLength(3);
    expect(emptyAfter).toBe(`k9${topCharacter}`);
    const firsts = cuts.map((cut) => Number(cut.slice(1, 2)));
    expect(firsts[0]).toBeGreaterThanOrEqual(2);
    expect(firsts[2]).toBeGreaterThanOrEqual(6);
    expect(bucket.asked.length).toBeLessThanOrEqual(40);
  });

  it('that are given make the stem shorter, so that the fill looks on both sides of them', async () => {
    const { cuts } = await cutsFor(4, { keys: [...numbered(50, 'k/m'), ...numbered(3, 'z/')] }, ['b']);
    expect(cuts[0]).toBe('b');
    expect(cuts.length).toBeGreaterThan(1);
  });

  it('are looked for in every group, though the pages showed the first one only', async () => {
    const keys = ['aa/', 'ab/', 'z/'].flatMap((group) => numbered(60, group));
    const { bucket } = await cutsFor(4, { keys, limit: 8 });
    expect(bucket.probes).toEqual(['aa/5', 'ab5', 'z5']);
  });

  it('ask for folders only if a request for each slice is left', async () => {
    const keys = ['a', 'b', 'c', 'd'].flatMap((group) => numbered(50, `${group}/`));
    const asked = async (limit: number) =>
      (await cutsFor(4, { keys, limit })).bucket.asked.some(({ Delimiter }) => Delimiter === '/');
    expect(await asked(12)).toBe(true);
    expect(await asked(7)).toBe(false);
  });

  it('that would not fit into the run item are thinned out: fewer cost balance, never a key', async () => {
    const long = 'x'.repeat(996);
    const given = numbered(400, 'k').map((key) => key + long);
    const { cuts } = await cutsFor(1, { keys: numbered(30, 'k') }, given);
    expect(cuts).toEqual(given.filter((_, index) => index % 2 === 1));
    const fitting = given.slice(0, 300);
    expect((await cutsFor(1, { keys: numbered(30, 'k') }, fitting)).cuts).toEqual(fitting);
  });
});
