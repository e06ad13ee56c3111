import { describe, expect, it } from 'vitest';
import type { LeaseContext } from '../../../lib/lease/index.js';
import { topCharacter } from '../../../lib/scan/keys/key-order.js';
import type { SeatHost } from '../../../lib/scan/seats/seat-host.js';
import type { ScanRun } from '../../../lib/scan/slices/scan-run.js';
import type { SliceItem } from '../../../lib/scan/slices/slice.js';
import { createSlice } from '../../../lib/scan/slices/slice-creation.js';
import { Thief } from '../../../lib/scan/steal/thief.js';
import { Random } from '../../simulation/world/random.js';
import { onScan } from '../../support/scan/scan-events.js';
import { type Item, simulatedTable } from '../../support/simulated-table.js';

const numbered = (number: number) => String(number).padStart(6, '0');

/** Where the holder of a slice has come to: somewhere else in each. */
const base = (ordinal: number) => ordinal * 80_000 + 12_345 + ordinal * 123;

/** Slices of numbered keys that others work on, and a thief that looks at them. */
function scene({
  draws = 0.5,
  run = {},
  signal,
}: {
  draws?: number;
  run?: Partial<ScanRun>;
  signal?: AbortSignal;
} = {}) {
  const { context, runtime, get } = simulatedTable();
  const host = {
    context: { ...context, runtime: { ...runtime, random: () => draws } } as unknown as LeaseContext,
    run: { run: 'r', prefix: '', cuts: [], ...run },
    seat: 1,
    signal,
  } as unknown as SeatHost;
  const thief = new Thief(host);
  // Others have come to anywhere: each digit can stand at each place.
  const random = new Random(1);
  for (let i = 0; i < 60; i++) {
    const claimed = numbered(random.whole(0, 999_999));
    thief.sees({ name: `other-${i}`, claimed, progress: 1, splitProgress: 0 } as unknown as SliceItem);
  }
  return {
    thief,
    get,
    table: context.table,
    /** One whose holder has come to a key by a page of so many numbers. */
    async slice(ordinal: number, claimed: number, hi: number | undefined, changes: Partial<SliceItem> = {}) {
      const id = String(ordinal).padStart(6, '0');
      await createSlice(host.context, 'r', { id, ...(hi !== undefined && { hi: numbered(hi) }) });
      const stands = {
        cursor: numbered(claimed - 100),
        claimed: numbered(claimed),
        progress: 2,
        splitProgress: 0,
      };
      const set = { ...stands, ...changes };
      const name = `scan/r/${id}`;
      await context.table.update(name, { set, condition: { text: 'attribute_exists(#name)' } });
      const slice = { name, version: 1, ...(hi !== undefined && { hi: numbered(hi) }), ...set } as SliceItem;
      thief.sees(slice);
      return slice;
    },
  };
}

/** Where a slice was cut, as a number. */
const cutOf = (item: Item | undefined) => Number(item!.hi!.S!.padEnd(6, '0'));

describe('a thief', () => {
  it('finds nothing where nobody holds anything, and nothing will come up', async () => {
    expect(await scene().thief.steal([])).toEqual({ stolen: undefined, mayComeUp: false });
  });

  it('halves what is left, writes it down, and makes the child', async () => {
    const told: unknown[] = [];
    using _splits = onScan('scan-slice-split', 'r', (event) => told.push(event));
    const { thief, slice, get } = scene();
    const victim = await slice(0, 10_000, 90_000);
    const { stolen, mayComeUp } = await thief.steal([victim]);
    expect(mayComeUp).toBe(true);
    const parent = (await get('scan/r/000000'))!;
    const cut = parent.hi!.S!;
    expect(Math.abs(Number(cut.padEnd(6, '0')) - 50_000)).toBeLessThan(1_000);
    expect(parent.child).toBeUndefined();
    expect(parent.splitProgress).toEqual({ N: '2' });
    expect(await get(`scan/r/${stolen}`)).toMatchObject({ lo: { S: cut }, hi: { S: numbered(90_000) } });
    const about = { seat: 1, slice: '000000', name: victim.name, cut, child: stolen, hi: numbered(90_000) };
    expect(told).toEqual([expect.objectContaining(about)]);
  });

  it.each([
    ['with less than three pages left it is left alone, for good', 10_000, 10_250, {}, false],
    [
      'that has not moved since it was split may be worth it later',
      10_000,
      90_000,
      { splitProgress: 2 },
      true,
    ],
    ['of which nothing can be said yet may be worth it later', 10_000, 90_000, { claimed: undefined }, true],
    [
      'whose last split is not done may be worth it later',
      10_000,
      90_000,
      { child: { id: 'c1', lo: numbered(80_000) } },
      true,
    ],
  ])('a slice %s', async (_, claimed, hi, changes, mayComeUp) => {
    const { thief, slice, get } = scene();
    const victim = await slice(0, claimed, hi);
    const before = await get(victim.name);
    expect(await thief.steal([{ ...victim, ...changes } as SliceItem])).toEqual({
      stolen: undefined,
      mayComeUp,
    });
    expect(await get(victim.name)).toEqual(before);
  });

  it.each([
    [0, 90],
    [0.32, 90],
    [0.35, 80],
    [0.65, 80],
    [0.68, 70],
    [0.99, 70],
  ])('takes one of the fifth with most left, by chance: at %d that of %d', async (draws, end) => {
    const { thief, slice, get } = scene({ draws });
    const ends = [20, 90, 30, 80, 40, 70, 50, 60, 25, 35, 22, 33];
    const held = await Promise.all(ends.map((own, i) => slice(i, base(i), base(i) + own * 800)));
    expect((await thief.steal(held)).stolen).toBeDefined();
    const now = await Promise.all(held.map(({ name }) => get(name)));
    const split = held.filter(({ hi }, i) => now[i]!.hi!.S !== hi);
    expect(split.map(({ hi }) => hi)).toEqual([numbered(base(ends.indexOf(end)) + end * 800)]);
  });

  it.each([
    [2, true, 2],
    [3, false, 3],
    [6, false, 3],
  ])('refused, tries another, three in all: %d have moved', async (moved, isStolen, refused) => {
    let count = 0;
    using _refusals = onScan('scan-split-refused', 'r', () => {
      count += 1;
    });
    const { thief, slice, table } = scene({ draws: 0 });
    const held = [];
    for (let i = 0; i < 7; i++) held.push(await slice(i, base(i), base(i) + (90 - i) * 800));
    for (const { name } of held.slice(0, moved)) {
      await table.update(name, {
        set: { hi: numbered(999_999) },
        condition: { text: 'attribute_exists(#name)' },
      });
    }
    const loot = await thief.steal(held);
    expect(loot.stolen !== undefined).toBe(isStolen);
    expect(loot.mayComeUp).toBe(true);
    expect(count).toBe(refused);
  });

  it.each([
    [0, 48_000],
    [0.5, 50_000],
    [1, 52_000],
  ])('cuts at half of what is left, give or take a twentieth: %d', async (draws, at) => {
    const { thief, slice, get } = scene({ draws: Math.min(draws, 0.999) });
    const victim = await slice(0, 10_000, 90_000);
    await thief.steal([victim]);
    expect(Math.abs(cutOf(await get(victim.name)) - at)).toBeLessThan(200);
  });

  it('cuts less far ahead where so much is left that the guess may well be far off', async () => {
    const { thief, slice, get } = scene();
    // Pages of one number: 80,000 and 19,000 of them.
    const far = await slice(0, 10_000, 90_000, { cursor: numbered(9_999) });
    await thief.steal([far]);
    expect(Math.abs(cutOf(await get(far.name)) - (10_000 + Math.sqrt(100 * 80_000)))).toBeLessThan(50);
    const near = await slice(1, 110_000, 129_000, { cursor: numbered(109_999) });
    await thief.steal([near]);
    expect(Math.abs(cutOf(await get(near.name)) - 119_500)).toBeLessThan(100);
  });

  it('halves what is left where the place ahead is too fine to be told', async () => {
    const { thief, slice, get } = scene();
    const fine = await slice(0, 10_000, 90_000, {
      cursor: numbered(10_000),
      claimed: `${numbered(10_000)}-`,
    });
    await thief.steal([fine]);
    expect(Math.abs(cutOf(await get(fine.name)) - 50_000)).toBeLessThan(1_000);
  });

  it('splits what has three pages left, and tells how many it thinks there are, and whose they were', async () => {
    const told: unknown[] = [];
    using _splits = onScan('scan-slice-split', 'r', (event) => told.push(event));
    const { thief, slice } = scene();
    const victim = await slice(0, 10_000, 10_300, { owner: 'somebody' });
    expect((await thief.steal([victim])).stolen).toBeDefined();
    expect(told).toMatchObject([{ run: 'r', owner: 'somebody', pagesLeft: expect.closeTo(3) }]);
  });

  it('knows by the plan which characters there are, in its cuts and in the last that it saw', async () => {
    const left = async (run: Partial<ScanRun>) => {
      let pages = 0;
      using _splits = onScan('scan-slice-split', 'r', ({ pagesLeft }) => {
        pages = pagesLeft;
      });
      const { thief, slice } = scene({ run });
      await thief.steal([await slice(0, 10_000, undefined)]);
      return pages;
    };
    expect(await left({})).toBeCloseTo(9_900);
    // Letters may follow the digits: each is as many again as a digit.
    const withLetters = await left({ cuts: ['m'] });
    expect(withLetters).toBeCloseTo(9_900 + 26_000);
    expect(await left({ emptyAfter: `m${topCharacter}` })).toBeCloseTo(withLetters);
    expect(await left({ emptyAfter: 'm' })).toBeCloseTo(9_900);
    // Without the run's prefix.
    expect(await left({ prefix: '0', cuts: ['0m'] })).not.toBeCloseTo(await left({ prefix: '0' }));
  });

  it('measures folders by what each slice has done since its own beginning', async () => {
    const folders = Array.from({ length: 100 }, (_, i) => `f${String(i).padStart(2, '0')}/`);
    const leftUpTo = async (hi: string) => {
      let pages = 0;
      using _ = onScan('scan-slice-split', 'r', ({ pagesLeft }) => {
        pages = pagesLeft;
      });
      const { thief, slice } = scene({ run: { folders } });
      // Thirty pages in a folder and a half, two in half of one; others have done sixty before the first folder.
      const other = { name: 'o', lo: 'f50/', claimed: 'f52/x', progress: 30, splitProgress: 0 };
      thief.sees(other as unknown as SliceItem);
      const own = { lo: 'f20/', cursor: 'f20/a', claimed: 'f20/b' };
      await thief.steal([await slice(0, 10_000, undefined, { ...own, hi })]);
      return pages;
    };
    const perFolder = (30 + 2 + 60) / (1.5 + 0.5 + 60 * 0.5);
    expect((await leftUpTo('f31/')) - (await leftUpTo('f21/'))).toBeCloseTo(10 * perFolder);
  });

  it('ends with its signal, before it writes and before it makes the child', async () => {
    const reason = new Error('enough');
    const stopped = scene({ signal: AbortSignal.abort(reason) });
    const victim = await stopped.slice(0, 10_000, 90_000);
    await expect(stopped.thief.steal([victim])).rejects.toThrow('enough');
    expect((await stopped.get(victim.name))!.hi).toEqual({ S: victim.hi });
    const stop = new AbortController();
    const { thief, slice, get } = scene({ signal: stop.signal });
    using _ = onScan('scan-slice-split', 'r', () => stop.abort(reason));
    const other = await slice(0, 10_000, 90_000);
    await expect(thief.steal([other])).rejects.toThrow('enough');
    // Whoever sees that makes it.
    expect((await get(other.name))!.child).toBeDefined();
  });

  it('writes nothing where the middle is what is claimed: a cut lies behind it', async () => {
    let refusals = 0;
    using _refusals = onScan('scan-split-refused', 'r', () => {
      refusals += 1;
    });
    // Folders that no cut can tell apart: many pages, and no place.
    const folders = [`b${topCharacter}/`, `b${topCharacter}${topCharacter}/`];
    const { thief, slice, get } = scene({ run: { folders } });
    const victim = await slice(0, 10_000, undefined, { cursor: undefined, claimed: 'b', hi: 'c' });
    const before = await get(victim.name);
    expect(await thief.steal([victim])).toEqual({ stolen: undefined, mayComeUp: true });
    expect(refusals).toBe(0);
    expect(await get(victim.name)).toEqual(before);
  });

  it.each(['a', 'ab'])(
    'halves the keys where names are too long to be worked out: %s…',
    async (beginning) => {
      const { thief, slice, get } = scene();
      const long = beginning.repeat(400);
      const victim = await slice(0, 10_000, undefined, { cursor: `${long}c`, claimed: `${long}d` });
      expect((await thief.steal([victim])).stolen).toBeDefined();
      expect((await get(victim.name))!.hi!.S! > `${long}d`).toBe(true);
    },
  );

  it('halves the keys where names tell nothing of what is left', async () => {
    const { thief, slice, get } = scene();
    const victim = await slice(0, 10_000, undefined, { cursor: 'b', claimed: 'c' });
    thief.sees({ ...victim, name: 'other', claimed: 'x' });
    const { stolen } = await thief.steal([victim]);
    expect(stolen).toBeDefined();
    const { hi } = (await get(victim.name))!;
    expect(hi!.S! > 'c').toBe(true);
  });
});
