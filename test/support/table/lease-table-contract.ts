import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreClock as Clock, type StoreClock } from '../../../lib/clock/store-clock.js';

import { systemRuntime } from '../../../lib/runtime/index.js';
import type { ItemTable, StoredItem } from '../../../lib/table/index.js';

/** A store that is held to the contract: new and empty when it is opened. */
export interface StoreUnderContract {
  /** The table, seen by one machine whose clock its responses set. */
  readonly connect: (clock: StoreClock) => ItemTable;
  readonly close: () => Promise<void>;
}

const absent = { text: 'attribute_not_exists(#name)' };
const always = { text: 'attribute_not_exists(#neverThere)' };

/** What every `ItemTable` does, whatever is behind it. */
export function leaseTableContract(open: () => Promise<StoreUnderContract>): void {
  describe('the ItemTable port', () => {
    let store: StoreUnderContract;
    let clock: StoreClock;
    let table: ItemTable;

    beforeAll(async () => {
      store = await open();
      clock = new Clock(systemRuntime);
      table = store.connect(clock);
    });

    afterAll(() => store?.close());

    it('learns the store time from a ping', async () => {
      const fresh = new Clock(systemRuntime);
      await store.connect(fresh).ping();
      expect(fresh.isSet).toBe(true);
      const { earliest, latest } = fresh.now();
      expect(latest - earliest).toBeGreaterThanOrEqual(1000);
    });

    it('applies an update and answers with the item before it, none for a new one', async () => {
      const first = await table.update('update', { set: { a: 1 }, condition: absent, wantsOld: true });
      expect(first).toEqual({ applied: true, old: undefined });
      const second = await table.update('update', {
        set: { a: 2, b: 'x' },
        condition: always,
        wantsOld: true,
      });
      expect(second).toEqual({ applied: true, old: { name: 'update', a: 1 } });
      expect(await table.get('update')).toEqual({ name: 'update', a: 2, b: 'x' });
      const third = await table.update('update', { set: { a: 3 }, condition: always });
      expect(third).toEqual({ applied: true, old: undefined });
    });

    it('applies an update that has no values', async () => {
      await table.create({ name: 'no values', a: 1 });
      const change = { remove: ['a'], condition: { text: 'attribute_exists(#name)' } };
      expect(await table.update('no values', change)).toMatchObject({ applied: true });
      expect(await table.get('no values')).toEqual({ name: 'no values' });
    });

    it('refuses an update with the item as it stands, and changes nothing', async () => {
      await table.create({ name: 'refused', a: 1 });
      const answer = await table.update('refused', { set: { a: 2 }, condition: absent });
      expect(answer).toEqual({ applied: false, item: { name: 'refused', a: 1 }, retried: false });
      expect(await table.get('refused')).toEqual({ name: 'refused', a: 1 });
    });

    it('refuses an update of what is not there, without an item, and creates nothing', async () => {
      const condition = { text: 'attribute_exists(#name)' };
      const answer = await table.update('nothing', { set: { a: 2 }, condition });
      expect(answer).toEqual({ applied: false, item: undefined, retried: false });
      expect(await table.get('nothing')).toBeUndefined();
    });

    it('computes, removes and leaves alone in one update', async () => {
      await table.create({ name: 'parts', count: 1, gone: true, kept: 'k' });
      await table.update('parts', {
        set: { kept: undefined, status: 'new' },
        compute: { count: { text: '#count + :one', values: { ':one': 1 } } },
        remove: ['gone'],
        condition: { text: '#count = :before', values: { ':before': 1 } },
      });
      expect(await table.get('parts')).toEqual({ name: 'parts', count: 2, kept: 'k', status: 'new' });
    });

    it('keeps values of every kind as they were', async () => {
      const value = {
        text: 'ü𝒳\u0000',
        empty: '',
        number: -1.5,
        large: 12345678901234567890n,
        yes: true,
        nothing: null,
        list: [1, ['two', {}]],
        map: { 'a b': { c: [] } },
        bytes: new Uint8Array([0, 255]),
        words: new Set(['a', 'b']),
      };
      await table.update('values', { set: { value }, condition: always });
      expect((await table.get('values'))?.value).toEqual(value);
    });

    it.each<[string, unknown]>([
      ['a function', () => 1],
      ['NaN', Number.NaN],
      ['an instance of a class', new Date()],
      ['an empty set', new Set()],
      ['an unsafe number', 2 ** 60],
    ])('refuses %s, which can not be stored, as a UsageError', async (_, value) => {
      const attempt = table.update('unstorable', { set: { value }, condition: always });
      await expect(attempt).rejects.toMatchObject({ name: 'UsageError', lockName: 'unstorable' });
      expect(await table.get('unstorable')).toBeUndefined();
    });

    it('creates an item only where there is none', async () => {
      expect(await table.create({ name: 'created', a: 1 })).toBe(true);
      expect(await table.create({ name: 'created', a: 2 })).toBe(false);
      expect(await table.get('created')).toEqual({ name: 'created', a: 1 });
    });

    it('lets one of many concurrent creators and updaters win', async () => {
      const created = await Promise.all(
        Array.from({ length: 10 }, (_, a) => table.create({ name: 'race', a })),
      );
      expect(created.filter(Boolean)).toHaveLength(1);
      const condition = { text: 'attribute_not_exists(#winner)' };
      const updated = await Promise.all(
        Array.from({ length: 10 }, (_, winner) => table.update('race', { set: { winner }, condition })),
      );
      expect(updated.filter(({ applied }) => applied)).toHaveLength(1);
    });

    it('reads more than a hundred items at once, each one once, and leaves out what is not there', async () => {
      const names = Array.from({ length: 120 }, (_, i) => `many-${i}`);
      await Promise.all(names.map((name) => table.create({ name })));
      const found = await table.getMany([...names, ...names.slice(0, 50), 'not-there']);
      expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
      expect(await table.getMany([])).toEqual([]);
    });

    it('lists the names of a group over several pages, in order, and nobody else’s', async () => {
      // An index page ends at 1 MB, and only long names fill it: these are about as long as they may be.
      const group = 'paged'.repeat(400);
      const names = Array.from({ length: 400 }, (_, i) => `${String(i).padStart(4, '0')}${'g'.repeat(1000)}`);
      for (let start = 0; start < names.length; start += 50) {
        const some = names.slice(start, start + 50);
        await Promise.all(some.map((name) => table.create({ name, group })));
      }
      await table.create({ name: 'elsewhere', group: 'other' });
      const pages: string[][] = [];
      for await (const page of table.namesInGroup(group)) pages.push([...page]);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flat()).toEqual(names);
      const none: string[] = [];
      for await (const page of table.namesInGroup('no such group')) none.push(...page);
      expect(none).toEqual([]);
    });

    it('scans all items over several pages', async () => {
      const padding = 'x'.repeat(300_000);
      const names = Array.from({ length: 8 }, (_, i) => `scan-${i}`);
      for (const name of names) await table.create({ name, padding });
      const pages: StoredItem[][] = [];
      for await (const page of table.scan()) pages.push([...page]);
      expect(pages.length).toBeGreaterThan(1);
      const found = pages.flat().map(({ name }) => String(name));
      expect(new Set(found).size).toBe(found.length);
      expect(found.filter((name) => name.startsWith('scan-')).sort()).toEqual(names);
    });

    it('ends at once with the caller’s signal, and sends nothing when that has aborted before', async () => {
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(table.get('update', signal)).rejects.toMatchObject({
        name: 'StoreError',
        cause: { message: 'enough' },
      });
      await expect(table.create({ name: 'aborted' }, signal)).rejects.toMatchObject({ name: 'StoreError' });
      expect(await table.get('aborted')).toBeUndefined();
    });
  });
}
