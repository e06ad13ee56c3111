import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkDirectory } from '../../../lib/local/index.js';
import { compareBytes, sortByBytes } from '../../../lib/local/s3/key-walk.js';
import { byBytes, listAll } from '../../support/local/list-all.js';
import { oddNames } from '../../support/local/odd-names.js';
import { type TemporaryBucket, temporaryBucket } from '../../support/local/temporary-bucket.js';
import { checkProperty } from '../../support/property.js';

const text = fc.string({ unit: 'binary', maxLength: 12 });

// Few letters, so that names collide, nest and share prefixes; on both sides of the slash and of the surrogates.
const letter = fc.constantFrom(
  'a',
  'b',
  '-',
  '.',
  '0',
  ' ',
  '+',
  '%',
  '&',
  '\n',
  '\u00e9',
  '\uffee',
  '\u{1f600}',
);
const segment = fc
  .array(letter, { minLength: 1, maxLength: 4 })
  .map((letters) => letters.join(''))
  .filter((name) => name !== '.' && name !== '..');
const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const place = fc.oneof(
  key,
  fc.array(fc.oneof(letter, fc.constant('/')), { maxLength: 5 }).map((letters) => letters.join('')),
);

/** Leaves out keys that can't lie in one tree with an earlier one: a file can't be a folder, too. */
function treeOf(keys: readonly string[]): string[] {
  const kept: string[] = [];
  for (const one of keys) {
    const clash = kept.some(
      (other) => one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`),
    );
    if (!clash) kept.push(one);
  }
  return kept;
}

async function walked(directory: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const file of walkDirectory(directory)) keys.push(file.key);
  return keys.sort(byBytes);
}

describe('the order of bytes', () => {
  it('is that of Buffer.compare for any two strings', () => {
    const letters = fc.array(letter, { maxLength: 5 }).map((one) => one.join(''));
    checkProperty(
      fc.property(fc.oneof(text, letters), fc.oneof(text, letters), (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(byBytes(a, b));
      }),
    );
  });

  it('is that of Buffer.compare for any list', () => {
    checkProperty(
      fc.property(fc.array(text), (names) => {
        expect(sortByBytes([...names])).toEqual([...names].sort(byBytes));
      }),
    );
  });
});

describe('a listing of any tree', () => {
  let bucket: TemporaryBucket;

  beforeAll(async () => {
    bucket = await temporaryBucket();
  });

  afterAll(() => bucket[Symbol.asyncDispose]());

  const empty = async () => {
    for (const one of await walked(bucket.directory)) {
      await rm(join(bucket.directory, one.split('/')[0] ?? ''), { recursive: true, force: true });
    }
  };

  it('equals a sorted walk, cut by prefix, start-after, delimiter and page size', async () => {
    const cuts = fc.record({
      maxKeys: fc.integer({ min: 1, max: 7 }),
      prefix: fc.option(place, { nil: undefined }),
      startAfter: fc.option(place, { nil: undefined }),
      delimiter: fc.option(fc.constantFrom('/', '-', 'a', '/a', '\u{1f600}'), { nil: undefined }),
    });
    await checkProperty(
      fc.asyncProperty(
        fc.array(key, { maxLength: 25 }),
        fc.array(cuts, { minLength: 4, maxLength: 4 }),
        async (keys, variants) => {
          await empty();
          await bucket.write(...treeOf(keys));
          const all = await walked(bucket.directory);
          expect(all).toEqual(treeOf(keys).sort(byBytes));
          expect((await listAll(bucket.client)).keys).toEqual(all);
          for (const { maxKeys, prefix, startAfter, delimiter } of variants) {
            const listed = await listAll(bucket.client, {
              MaxKeys: maxKeys,
              Prefix: prefix,
              StartAfter: startAfter,
              Delimiter: delimiter,
            });
            expect(listed).toMatchObject(cut(all, prefix ?? '', startAfter ?? '', delimiter));
          }
        },
      ),
      { cases: 60 },
    );
  });

  it('has every odd name exactly', async () => {
    await empty();
    await bucket.write(...oddNames);
    const sorted = [...oddNames].sort(byBytes);
    expect((await listAll(bucket.client)).keys).toEqual(sorted);
    for (const [index, StartAfter] of sorted.entries()) {
      expect((await listAll(bucket.client, { StartAfter, MaxKeys: 5 })).keys).toEqual(
        sorted.slice(index + 1),
      );
      expect((await listAll(bucket.client, { Prefix: StartAfter })).keys).toContain(StartAfter);
    }
  });
});

/** What S3's documentation says a listing holds. */
function cut(all: readonly string[], prefix: string, startAfter: string, delimiter: string | undefined) {
  const keys: string[] = [];
  const commonPrefixes: string[] = [];
  for (const one of all) {
    if (!one.startsWith(prefix) || byBytes(one, startAfter) <= 0) continue;
    const at = delimiter === undefined ? -1 : one.indexOf(delimiter, prefix.length);
    if (at < 0) {
      keys.push(one);
      continue;
    }
    const group = one.slice(0, at + (delimiter?.length ?? 0));
    if (byBytes(group, startAfter) > 0 && commonPrefixes.at(-1) !== group) commonPrefixes.push(group);
  }
  return { keys, commonPrefixes };
}
