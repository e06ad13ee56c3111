import { describe, expect, it } from 'vitest';
import type { LeaseContext } from '../../../lib/lease/index.js';
import type { SeatHost } from '../../../lib/scan/seats/seat-host.js';
import type { ScanRun } from '../../../lib/scan/slices/scan-run.js';
import type { SliceItem } from '../../../lib/scan/slices/slice.js';
import { createSlice } from '../../../lib/scan/slices/slice-creation.js';
import { Thief } from '../../../lib/scan/steal/thief.js';
import { Random } from '../../simulation/world/random.js';
import { onScan } from '../../support/scan/scan-events.js';
import { simulatedTable } from '../../support/simulated-table.js';

const numbered = (number: number) => String(number).padStart(6, '0');

/** Where the holder of a slice has come to: somewhere else in each. */
const base = (ordinal: number) => ordinal * 100_000 + 12_345 + ordinal * 1_234;

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
    [0.49, 90],
    [0.51, 80],
    [0.99, 80],
  ])('takes one of the fifth with most left, by chance: at %d that of %d', async (draws, end) => {
    const { thief, slice, get } = scene({ draws });
    const ends = [20, 90, 30, 80, 40, 70, 50, 60, 25, 35];
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
