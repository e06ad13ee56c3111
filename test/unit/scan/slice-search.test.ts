import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import type { SeatHost } from '../../../lib/scan/seats/seat-host.js';
import { type Candidate, SliceSearch } from '../../../lib/scan/seats/slice-search.js';
import { childSliceId, plannedSliceId } from '../../../lib/scan/slices/slice.js';
import { onScan } from '../../support/scan/scan-events.js';

const now = { earliest: 1_000_000.25, latest: 1_000_800.75 };
const skewMs = 500;
const name = (id: number | string) => `scan/r/${typeof id === 'number' ? plannedSliceId(id) : id}`;
const held = (untilMs: number, more: object = {}) => ({
  ...{ leaseId: 'x', expiresAt: untilMs, owner: 'other', acquiredAt: 1 },
  ...more,
});
const mine = (acquiredAt: number) => held(now.latest + 9_000, { owner: 'scan/r/seat-0', acquiredAt });

type Stored = Readonly<Record<string, unknown>>;

/** What a seat finds of a run of so many slices that meet at `1`, `2`, …; an index that may lag, and what was asked. */
function scene(slices: Readonly<Record<string, Stored>>, { planned = 1, random = 0.5, seat = 0 } = {}) {
  const cuts = Array.from({ length: planned - 1 }, (_, i) => String(i + 1));
  const items = new Map<string, Stored>();
  const put = (full: string, item: Stored) =>
    items.set(full, {
      ...{ name: full, format: leaseFormat, version: 7, progress: 0, splitProgress: 0 },
      ...item,
    });
  for (const [ordinal, id] of Array.from({ length: planned }, (_, i) => plannedSliceId(i)).entries()) {
    const lo = ordinal > 0 && { lo: cuts[ordinal - 1] };
    const hi = ordinal < cuts.length && { hi: cuts[ordinal] };
    put(name(id), { ...lo, ...hi, ...slices[id] });
  }
  for (const [id, item] of Object.entries(slices)) if (!items.has(name(id))) put(name(id), item);
  const reads: (readonly string[])[] = [];
  const shown = new Set<string>();
  const signal = new AbortController().signal;
  const table = {
    async getMany(names: readonly string[], given: unknown) {
      expect(given).toBe(signal);
      reads.push(names);
      return names.map((one) => items.get(one)).filter((item) => item !== undefined);
    },
    async *namesInGroup(group: string, given: unknown) {
      expect([group, given]).toEqual(['scan/r', signal]);
      yield [...shown];
    },
    async create(item: Stored & { readonly name: string }, given: unknown) {
      expect(given).toBe(signal);
      if (!items.has(item.name)) items.set(item.name, item);
    },
    async update(one: string, { remove }: { readonly remove: readonly string[] }, given: unknown) {
      expect(given).toBe(signal);
      const left = Object.entries(items.get(one)!).filter(([attribute]) => !remove.includes(attribute));
      items.set(one, Object.fromEntries(left));
    },
  };
  const host = {
    context: { table, clock: { now: () => now }, runtime: { random: () => random }, skewMs, retentionMs: 1 },
    run: { run: 'r', cuts },
    ...{ seat, signal },
  };
  const seen: string[] = [];
  const search = new SliceSearch(host as unknown as SeatHost, now, (slice) => void seen.push(slice.name));
  return { search, items, put, reads, shown, seen };
}

async function all(candidates: AsyncGenerator<Candidate>) {
  const found: Candidate[] = [];
  for await (const candidate of candidates) found.push(candidate);
  return found;
}

const names = (found: readonly Candidate[]) => found.map(({ slice }) => slice.name).sort();

/** What was told of a kind until the test's end. */
function told<Name extends Parameters<typeof onScan>[0]>(event: Name) {
  const events: unknown[] = [];
  const listening = onScan(event, 'r', (one) => void events.push(one));
  return Object.assign(events, { [Symbol.dispose]: () => listening[Symbol.dispose]() });
}

describe('a seat begins', () => {
  it.each([
    [0, [name(0)]],
    [1, [name(1)]],
    [2, []],
  ])('with the slice of its own number: seat %d', async (seat, found) => {
    const { search, reads } = scene({}, { planned: 2, seat });
    expect(names(await all(search.first()))).toEqual(found);
    expect(reads.flat()).toEqual(found);
  });
});

describe('a seat that looks for work', () => {
  it('takes what is free, and what nobody renews any more; what others hold it leaves', async () => {
    const { search, seen } = scene(
      {
        '000000': {},
        '000001': held(now.earliest - skewMs - 2),
        '000002': held(now.earliest - skewMs + 1, { progress: 5 }),
        '000003': held(now.latest + 7_000, { progress: 6 }),
        '000004': { completedAt: 1, progress: 7 },
        '000005': { attempts: 4, progress: 8 },
      },
      { planned: 6 },
    );
    const found = await all(search.free());
    expect(names(found)).toEqual([name(0), name(1)]);
    expect(found.map(({ own }) => own)).toEqual([false, false]);
    expect(search.held.map((slice) => slice.name).sort()).toEqual([name(2), name(3)]);
    expect(search.unfinished).toBe(4);
    expect(search.readAll).toBe(true);
    expect(search.progressSum).toBe(5 + 6 + 7 + 8);
    expect(search.soonestExpiryMs).toBe(now.earliest - skewMs + 1 + skewMs);
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5].map(name));
  });

  it('counts anew in each look, and does not read again what it has read as finished', async () => {
    const { search, put, reads } = scene(
      { '000000': { completedAt: 1, progress: 9 }, '000001': held(now.latest + 9_000, { progress: 2 }) },
      { planned: 2 },
    );
    for (let looks = 0; looks < 2; looks++) {
      reads.length = 0;
      expect(await all(search.free())).toEqual([]);
      expect([search.unfinished, search.held.length, search.readAll]).toEqual([1, 1, true]);
    }
    expect(reads).toEqual([[name(1)]]);
    expect(search.progressSum).toBe(2);
    put(name(1), { lo: '1', completedAt: 1 });
    expect(await all(search.free())).toEqual([]);
    expect([search.unfinished, search.held.length, search.readAll]).toEqual([0, 0, true]);
    expect(search.soonestExpiryMs).toBe(Number.POSITIVE_INFINITY);
    reads.length = 0;
    expect(await all(search.free())).toEqual([]);
    expect(reads).toEqual([]);
    expect(search.readAll).toBe(true);
  });

  it('tries its own earlier lease first, then those that failed the least', async () => {
    const { search } = scene(
      {
        '000000': { attempts: 2 },
        '000001': { attempts: 1 },
        '000002': mine(1),
        '000003': {},
      },
      { planned: 4 },
    );
    const found = await all(search.free());
    expect(found.map(({ slice }) => slice.name)).toEqual([name(2), name(3), name(1), name(0)]);
    expect(found.map(({ own }) => own)).toEqual([true, false, false, false]);
    expect([search.unfinished, search.held.length]).toEqual([3, 0]);
  });

  it('takes a lease of its own name for an earlier instance’s only if it was granted before its start', async () => {
    const own = async (acquiredAt: number, hasBegun: boolean) => {
      const { search } = scene({ '000000': mine(acquiredAt) });
      if (hasBegun) search.begun();
      return (await all(search.free())).length === 1;
    };
    // Grants carry the latest that it could have been: a second is allowed for, until it has a slice itself.
    const untilMs = Math.ceil(now.latest) + 1_000;
    expect(await own(untilMs, false)).toBe(true);
    expect(await own(untilMs + 1, false)).toBe(false);
    expect(await own(Math.floor(now.earliest), true)).toBe(true);
    expect(await own(Math.floor(now.earliest) + 1, true)).toBe(false);
    const { search } = scene({ '000000': held(now.latest + 9_000) });
    expect(await all(search.free())).toEqual([]);
  });

  it('finds what was split off by the index, and where that lags by the cut', async () => {
    const [a, b] = [childSliceId('a'), childSliceId('b')];
    const { search, shown, reads } = scene({
      '000000': held(now.latest + 9_000, { hi: 'a' }),
      [a]: { lo: 'a', hi: 'b', completedAt: 1 },
      [b]: { lo: 'b' },
    });
    expect(names(await all(search.free()))).toEqual([name(b)]);
    expect(reads).toEqual([[name(0)], [name(a)], [name(b)]]);
    expect(search.readAll).toBe(true);
    shown.add(name(b));
    reads.length = 0;
    await all(search.free());
    expect(reads.flat().sort()).toEqual([name(0), name(b)].sort());
  });

  it('makes the child of a split that it meets, and takes it in the same look', async () => {
    const child = { id: childSliceId('a'), lo: 'a' };
    const { search, items } = scene({ '000000': held(now.latest + 9_000, { hi: 'a', child }) });
    expect(names(await all(search.free()))).toEqual([name(child.id)]);
    expect(items.get(name(0))).not.toHaveProperty('child');
    expect(items.get(name(child.id))).toMatchObject({ lo: 'a' });
  });

  it('is not done while a child was only just made: it may be the last one left', async () => {
    const child = { id: childSliceId('a'), lo: 'a' };
    const { search, put } = scene({});
    put(name(0), { completedAt: 1, hi: 'a', child });
    await all(search.one(plannedSliceId(0)));
    expect(search.unfinished).toBe(1);
  });

  it('passes over what is no slice, tells it once, and does not read it again', async () => {
    using foreign = told('scan-foreign-item');
    const stray = childSliceId('stray');
    const { search, shown, put, reads } = scene({});
    put(name(stray), { progress: 'many' });
    shown.add(name(stray));
    shown.add('scan/r/not-a-slice');
    for (let looks = 0; looks < 3; looks++) expect(names(await all(search.free()))).toEqual([name(0)]);
    expect([...foreign]).toEqual([
      { run: 'r', name: 'scan/r/not-a-slice', why: 'its name is none of a slice' },
      { run: 'r', name: name(stray), why: 'it is no slice' },
    ]);
    expect(reads.flat().filter((one) => one !== name(0))).toEqual([name(stray)]);
    expect(search.readAll).toBe(true);
  });

  it('tells of a slice that nobody could finish, once, where it lies and why', async () => {
    using quarantined = told('scan-slice-quarantined');
    const { search } = scene(
      { '000000': {}, '000001': { attempts: 4, lastError: 'Error: no' }, '000002': {} },
      { planned: 3, seat: 3 },
    );
    for (let looks = 0; looks < 3; looks++) await all(search.free());
    expect([...quarantined]).toEqual([
      {
        ...{ run: 'r', seat: 3, slice: '000001', name: name(1), attempts: 4 },
        ...{ lo: '1', hi: '2', error: 'Error: no' },
      },
    ]);
  });

  it('reads twenty-five at a time, each once, until it knows enough that others hold', async () => {
    const others = (planned: number, from: number) =>
      Object.fromEntries(
        Array.from({ length: planned - from }, (_, i) => [
          plannedSliceId(from + i),
          held(now.latest + 9_000),
        ]),
      );
    const some = scene(others(60, 40), { planned: 60 });
    expect(await all(some.search.free())).toHaveLength(40);
    expect(some.reads.map((batch) => batch.length)).toEqual([25, 25, 10]);
    expect(new Set(some.reads.flat()).size).toBe(60);
    expect(some.search.readAll).toBe(true);
    const many = scene(others(60, 0), { planned: 60 });
    expect(await all(many.search.free())).toEqual([]);
    expect(many.reads.map((batch) => batch.length)).toEqual([25]);
    expect([many.search.readAll, many.search.held.length]).toEqual([false, 25]);
    const whole = scene({}, { planned: 50 });
    await all(whole.search.free());
    expect(whole.reads.map((batch) => batch.length)).toEqual([25, 25]);
  });

  it('reads in random order, so that seats that look at once do not all try the same first', async () => {
    const order = async (random: number) => {
      const { search, reads } = scene({}, { planned: 20, random });
      await all(search.free());
      return reads.flat();
    };
    const planned = Array.from({ length: 20 }, (_, i) => name(i));
    const [low, high] = [await order(0), await order(0.999)];
    expect([...low].sort()).toEqual(planned);
    // Each is swapped with the first, or with itself.
    expect(low).toEqual([...planned.slice(1), planned[0]]);
    expect(high).toEqual(planned);
  });

  it('reads one slice alone, as after a split', async () => {
    const { search, reads } = scene({ '000001': { lo: '1' } }, { planned: 3 });
    await all(search.free());
    reads.length = 0;
    expect(names(await all(search.one('000001')))).toEqual([name(1)]);
    expect(reads).toEqual([[name(1)]]);
    expect([search.unfinished, search.readAll]).toEqual([1, false]);
  });
});
