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

function takeInventory(objects: readonly ScanObject[], prefix = 'p/'): InventoryPartial {
  const page = {
    run: 'r',
    slice: 's',
    sliceName: 'n',
    number: 1,
    bucket: 'b',
    prefix,
    startedAtMs,
    objects,
    lastKey: '',
  };
  return processor.process(page, {} as ProcessContext) as InventoryPartial;
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
