import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDigests,
  emptyDigest,
  type InventoryPartial,
  inventory,
  inventoryReport,
  keyDigest,
  type ProcessContext,
  type ScanObject,
} from '../../../lib/scan/index.js';
import { checkProperty } from '../../support/property.js';

const processor = inventory({ largest: 3 });
const startedAtMs = Date.UTC(2026, 0, 1);

const takenPage = {
  run: 'r',
  slice: 's',
  sliceName: 'n',
  number: 1,
  bucket: 'b',
  prefix: 'p/',
  startedAtMs,
  lastKey: '',
};

function takeInventory(objects: readonly ScanObject[]): InventoryPartial {
  return processor.process({ ...takenPage, objects }, {} as ProcessContext) as InventoryPartial;
}

const object = (key: string, size = 1, ageDays = 0): ScanObject => ({
  key,
  size,
  lastModifiedMs: startedAtMs - ageDays * 86_400_000,
  storageClass: 'STANDARD',
  etag: '',
});

const anyObject = fc.record({
  key: fc
    .tuple(
      fc.constantFrom('a', 'b', '__proto__', 'constructor', ' other', 'é'),
      fc.stringMatching(/^[a-c/.]{0,6}$/),
    )
    .map(([a, b]) => `p/${a}/${b}`),
  size: fc.nat(1e9),
  lastModifiedMs: fc.nat(startedAtMs),
  storageClass: fc.constantFrom('STANDARD', 'GLACIER'),
  etag: fc.constant(''),
});
const anyPartial = fc.array(anyObject, { maxLength: 12 }).map((objects) => takeInventory(objects));

describe('the inventory', () => {
  it('merges associatively and commutatively, with nothing as neutral', () => {
    checkProperty(
      fc.property(anyPartial, anyPartial, anyPartial, (a, b, c) => {
        const { merge, empty } = processor;
        expect(merge(a, b)).toEqual(merge(b, a));
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)));
        expect(merge(a, empty())).toEqual(a);
      }),
    );
  });

  it('merged from any pages is that of all objects, also over JSON', () => {
    checkProperty(
      fc.property(fc.array(fc.array(anyObject, { maxLength: 5 }), { maxLength: 5 }), (pages) => {
        const merged = pages
          .map((objects) => JSON.parse(JSON.stringify(takeInventory(objects))) as InventoryPartial)
          .reduce((a, b) => processor.merge(a, b), processor.empty());
        expect(merged).toEqual(takeInventory(pages.flat()));
      }),
    );
  });

  it('counts what is there', () => {
    const report = inventoryReport(
      takeInventory([
        object('p/logs/a.GZ', 100, 2),
        object('p/logs/b.gz', 99, 400),
        object('p/readme', 0, 5_000),
        object('p/img/x.tar.gz', 5, 40),
        object('p/.hidden', 7),
      ]),
    );
    expect(report).toMatchObject({ objects: 5, bytes: 211 });
    expect(report.segments).toEqual([
      { name: 'logs', objects: 2, bytes: 199 },
      { name: '(none)', objects: 2, bytes: 7 },
      { name: 'img', objects: 1, bytes: 5 },
    ]);
    expect(report.extensions).toEqual([
      { name: 'gz', objects: 3, bytes: 204 },
      { name: '(none)', objects: 2, bytes: 7 },
    ]);
    expect(report.sizes.map(({ name, objects }) => [name, objects])).toEqual([
      ['0 B', 1],
      ['< 10^1 B', 2],
      ['< 10^2 B', 1],
      ['< 10^3 B', 1],
    ]);
    expect(report.ages.map(({ name }) => name)).toEqual(['< 1 d', '< 7 d', '< 90 d', '< 1095 d', 'older']);
    expect(report.largest.map(({ key }) => key)).toEqual(['p/logs/a.GZ', 'p/logs/b.gz', 'p/.hidden']);
  });

  it('knows an age by whole days: each group ends where the next begins', () => {
    const dayMs = 86_400_000;
    const ageOf = (ms: number) =>
      Object.keys(takeInventory([{ ...object('p/a'), lastModifiedMs: startedAtMs - ms }]).ages)[0];
    const ends = [1, 7, 30, 90, 365, 1_095];
    expect(ageOf(-1)).toBe('< 1 d');
    for (const [i, days] of ends.entries()) {
      expect(ageOf(days * dayMs - 1)).toBe(`< ${days} d`);
      const next = ends[i + 1];
      expect(ageOf(days * dayMs)).toBe(next === undefined ? 'older' : `< ${next} d`);
    }
    const all = takeInventory([0, ...ends].map((days) => object(`p/${days}`, 1, days)).reverse());
    expect(inventoryReport(all).ages.map(({ name }) => name)).toEqual([
      ...ends.map((days) => `< ${days} d`),
      'older',
    ]);
  });

  it('shortens names in one way, and takes no long word for an extension', () => {
    const groups = (key: string) => {
      const { segments, extensions } = takeInventory([object(key)]);
      return [Object.keys(segments)[0], Object.keys(extensions)[0]];
    };
    expect(groups(`p/${'é'.repeat(40)}/a.abcdefghijkl`)).toEqual(['é'.repeat(40), 'abcdefghijkl']);
    expect(groups(`p/${'é'.repeat(41)}/a.abcdefghijklm`)).toEqual([`${'é'.repeat(39)}…`, ' none']);
    expect(groups('p/a.')).toEqual([' none', ' none']);
    expect(groups('p/x.d/a')).toEqual(['x.d', ' none']);
    expect(groups('p/a.b.C')).toEqual([' none', 'c']);
  });

  it('names the largest objects: ten unless asked otherwise, ties by key', () => {
    const keys = Array.from({ length: 12 }, (_, i) => `p/${String(i).padStart(2, '0')}`);
    const page = (largest?: number) => {
      const own = largest === undefined ? inventory() : inventory({ largest });
      const objects = [...keys].reverse().map((key) => object(key, key === 'p/05' ? 9 : 1));
      return own.process({ ...takenPage, objects }, {} as ProcessContext) as InventoryPartial;
    };
    expect(page().largest.map(({ key }) => key)).toEqual([
      'p/05',
      ...keys.filter((key) => key !== 'p/05').slice(0, 9),
    ]);
    expect(page(0).largest).toEqual([]);
    expect(page(1_000).largest).toHaveLength(12);
    expect(() => inventory({ largest: -1 })).toThrow(/^largest: /);
    expect(() => inventory({ largest: 1_001 })).toThrow(/^largest: /);
  });

  it('keeps sixty-four groups of a kind by bytes, objects and name, and the rest as one, also over parts', () => {
    const { compact, merge } = processor;
    const many = Array.from({ length: 70 }, (_, i) => object(`p/s${i}/a.e${i}`, 100 + i));
    const partial = compact!(takeInventory(many));
    for (const [groups, letter] of [
      [partial.segments, 's'],
      [partial.extensions, 'e'],
    ] as const) {
      expect(Object.keys(groups)).toHaveLength(65);
      expect(groups[' other']).toEqual([6, 100 + 101 + 102 + 103 + 104 + 105]);
      expect(groups[`${letter}6`]).toEqual([1, 106]);
    }
    const exactly = takeInventory(many.slice(6));
    expect(compact!(exactly)).toEqual(exactly);
    const again = compact!(merge(partial, takeInventory([object('p/s0/a.e0', 1)])));
    expect(again.segments[' other']).toEqual([7, 616]);
    expect(Object.keys(again.segments)).toHaveLength(65);
    expect(inventory().inlineBytes).toBe(16_000);
  });

  it('reports so many rows as asked, most bytes first, then objects, then the name; the rest last', () => {
    const objects = [
      ...[object('p/a/1', 5), object('p/b/1', 2), object('p/b/2', 3), object('p/c/1', 5)],
      ...[object('p/d/1', 1), object('p/e/1', 400), object('p/f/1', 0)],
    ];
    const shown = (top?: number) => inventoryReport(takeInventory(objects), top).segments;
    expect(shown().map(({ name }) => name)).toEqual(['e', 'b', 'a', 'c', 'd', 'f']);
    expect(shown(2)).toEqual([
      { name: 'e', objects: 1, bytes: 400 },
      { name: 'b', objects: 2, bytes: 5 },
      { name: '(other)', objects: 4, bytes: 11 },
    ]);
    expect(shown(0)).toEqual([{ name: '(other)', objects: 7, bytes: 416 }]);
    // The rest stays last, however much it is.
    expect(shown(1).at(-1)).toMatchObject({ name: '(other)' });
    const many = Array.from({ length: 25 }, (_, i) => object(`p/s${i}/a`));
    expect(inventoryReport(takeInventory(many)).segments).toHaveLength(21);
    expect(() => inventoryReport(takeInventory([]), 0.5)).toThrow(/^top: /);
  });

  it('stays within a few KB, with exact totals', () => {
    let partial = processor.empty();
    for (let page = 0; page < 40; page++) {
      const objects = Array.from({ length: 250 }, (_, index) =>
        object(
          `p/${'folder with a long name '.repeat(3)}${page}-${index}/${'k'.repeat(900)}.x${page}${index}`,
          index,
        ),
      );
      partial = processor.compact!(processor.merge(partial, takeInventory(objects)));
      expect(JSON.stringify(partial).length).toBeLessThan(15_000);
    }
    expect(partial.objects).toBe(10_000);
    for (const groups of [partial.segments, partial.extensions, partial.sizes]) {
      const sum = Object.values(groups).reduce((total, [objects]) => total + objects, 0);
      expect(sum).toBe(10_000);
    }
  });
});

describe('the digest of keys', () => {
  const reference = (keys: readonly string[]) =>
    (
      keys.reduce(
        (sum, key) => sum + BigInt(`0x${createHash('sha256').update(key).digest('hex').slice(0, 32)}`),
        0n,
      ) %
      2n ** 128n
    )
      .toString(16)
      .padStart(32, '0');

  it('is the sum of the first halves of the hashes, in any order and parts', () => {
    checkProperty(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.string()), (a, b) => {
        const of = (keys: readonly string[]) => {
          const digest = keyDigest();
          for (const key of keys) digest.add(key);
          return digest.hex();
        };
        expect(of(a)).toBe(reference(a));
        expect(of([...b, ...a])).toBe(of([...a, ...b]));
        expect(addDigests(of(a), of(b))).toBe(of([...a, ...b]));
      }),
    );
    expect(keyDigest().hex()).toBe(emptyDigest);
  });

  it('tells a key that is missing, doubled or another one', () => {
    expect(new Set([['a', 'b'], ['a'], ['a', 'b', 'b'], ['a', 'c']].map(reference)).size).toBe(4);
  });
});
