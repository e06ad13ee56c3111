import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { S3Fault, S3Request } from '../../../lib/local/index.js';
import { walkDirectory } from '../../../lib/local/index.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { type InventoryPartial, inventory, keyDigest } from '../../../lib/scan/index.js';
import { decodedKey, listPage } from '../../../lib/scan/listing/s3-listing.js';
import { S3Sender } from '../../../lib/scan/listing/s3-requests.js';
import { inByteOrder } from '../../support/scan/listed-keys.js';
import { bucket, outputBucket, Stage } from '../../support/scan/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const tenKeys = Array.from({ length: 30 }, (_, index) => `p/${String(index).padStart(2, '0')}`);

/** Keys that listings, queries and XML readers are known to mangle. */
const oddKeys = [
  'p/plain',
  'p/two  spaces ',
  'p/ leading',
  'p/plus+plus',
  'p/per%cent',
  'p/per%2Fcent',
  'p/per%41',
  'p/amp&amp;',
  'p/less<more>',
  `p/quotes"'`,
  'p/new\nline',
  'p/tab\tand\rreturn',
  'p/control\u0001\u001f\u007f',
  'p/replacement\ufffd',
  'p/bom\ufeff',
  'p/e\u0301 decomposed',
  'p/\u00e9 composed',
  'p/\uffee below',
  'p/\u{1f600} above U+FFFF',
  'p/\u{10fffd}',
  'p/非ASCII/深',
  'p/semi;colon?query#hash',
  'p/back\\slash',
  'p/~tilde*star',
  'p/null',
  'p/__proto__/x',
  'p/2024-01-01T00:00:00.000Z',
  'p/1e5',
  'p/007',
];

describe('odd keys (C46)', () => {
  it.each([1, 2, 5, 1000])('are listed, ordered and reported right, %i a page', async (pageSize) => {
    await using scene = await stage.scene(oddKeys);
    const verdict = await scene.scan({ prefix: 'p/', pageSize, seats: 3 });
    expect(verdict).toMatchObject({ status: 'complete', report: { objects: oddKeys.length, tiles: true } });
    expect(await scene.keys()).toEqual(inByteOrder(oddKeys));
  });

  it('are scanned under an odd prefix, also with cuts made of such keys', async () => {
    const keys = oddKeys.map((key) => `a b+%&\u{1f600}é/${key}`);
    await using scene = await stage.scene([...keys, 'z']);
    const cuts = keys.filter((_, index) => index % 4 === 0);
    const verdict = await scene.scan({ prefix: 'a b+%&\u{1f600}é/', pageSize: 2, seats: 2, cuts });
    expect(verdict.status).toBe('complete');
    expect(await scene.keys()).toEqual(inByteOrder(keys));
  });

  it('give the digest that an independent walk gives', async () => {
    await using scene = await stage.scene([...oddKeys, ...tenKeys]);
    const processor = inventory();
    await scene.plan({ pageSize: 7, seats: 2 });
    await scene.work({ processor });
    const result = (await scene.verify({ processor })).report.result as InventoryPartial;
    const digest = keyDigest();
    let objects = 0;
    let bytes = 0;
    for await (const { key, size } of walkDirectory(join(scene.root, bucket))) {
      digest.add(key);
      objects += 1;
      bytes += size;
    }
    expect(result).toMatchObject({ objects, bytes, digest: digest.hex() });
  });

  it('decode a plus as a space and the rest as UTF-8', () => {
    expect(decodedKey('a+b%2Bc%25%F0%9F%98%80')).toBe('a b+c%\u{1f600}');
  });
});

describe('an S3 that is not fit', () => {
  const failing = async (fault: S3Fault | ((request: S3Request) => S3Fault), plan = {}) => {
    await using scene = await stage.scene(tenKeys);
    scene.faults = typeof fault === 'function' ? fault : () => fault;
    return await scene.plan({ prefix: 'p/', ...plan }).then(
      () => undefined,
      (error) => error,
    );
  };

  it('has no such bucket', async () => {
    expect(await failing('ok', { bucket: 'nowhere' })).toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('"nowhere"'),
    });
  });

  it('denies access', async () => {
    expect(await failing('deny')).toMatchObject({
      name: 'StoreError',
      retryable: false,
      cause: { name: 'AccessDenied' },
      message: expect.stringContaining('"data"'),
    });
  });

  it('is overloaded or can not be reached', async () => {
    expect(await failing('slow-down')).toMatchObject({ name: 'StoreError', retryable: true });
    expect(await failing('internal-error')).toMatchObject({ name: 'StoreError', retryable: true });
    expect(await failing('drop')).toMatchObject({ name: 'StoreError', retryable: true });
  });

  it('ignores StartAfter', async () => {
    expect(await failing('ignore-start-after', { seats: 2 })).toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('ignores StartAfter'),
    });
  });

  it('ignores StartAfter only once there are workers', async () => {
    await using scene = await stage.scene(tenKeys);
    await scene.plan({ prefix: 'p/' });
    scene.faults = () => 'ignore-start-after';
    await expect(scene.work()).rejects.toMatchObject({ name: 'UsageError' });
    // No fault of the slice's: it is free, and no attempt is counted.
    const { slices } = await scene.read();
    expect(slices.every(({ leaseId, attempts }) => leaseId === undefined && !attempts)).toBe(true);
  });

  it('denies only the pass for groups: planned all the same', async () => {
    expect(
      await failing((request) => (request.query.has('delimiter') ? 'deny' : 'ok'), { seats: 4 }),
    ).toBeUndefined();
  });

  it('is a directory bucket', async () => {
    expect(await failing('ok', { bucket: 'fast--usw2-az1--x-s3' })).toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('directory bucket'),
    });
  });

  it('would list the scan’s own output', async () => {
    for (const [prefix, output] of [
      ['p/', 'p/out'],
      ['', 'out'],
      ['out/', 'out'],
    ] as const) {
      expect(await failing('ok', { prefix, output: { bucket, prefix: output } })).toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('inside the scanned'),
      });
    }
    expect(await failing('ok', { output: { bucket, prefix: 'out' } })).toBeUndefined();
    expect(await failing('ok', { prefix: '', output: { bucket: outputBucket, prefix: '' } })).toBeUndefined();
  });

  it('never answers: the request ends with the caller', async () => {
    await using scene = await stage.scene(tenKeys);
    scene.faults = () => 'hang';
    const caller = new AbortController();
    const planned = scene.plan({ prefix: 'p/', signal: caller.signal });
    setTimeout(() => caller.abort(new Error('enough')), 100);
    await expect(planned).rejects.toThrow('enough');
  });

  it('never answers: the request ends by itself, after its tries', async () => {
    await using scene = await stage.scene(tenKeys);
    scene.faults = () => 'hang';
    const hasty = {
      ...systemRuntime,
      setAwaitedTimer: (wake: () => void, delayMs: number) =>
        systemRuntime.setAwaitedTimer(wake, delayMs / 100),
    };
    const requests = new S3Sender(scene.s3, hasty);
    const listing = listPage(requests, { bucket, prefix: '' }, { after: undefined, pageSize: 10 });
    await expect(listing).rejects.toMatchObject({ name: 'StoreError', retryable: true });
    expect(requests.count).toBe(3);
  });
});

describe('options that can not be right', () => {
  it.each([
    [{ run: 'a/b' }, 'run'],
    [{ run: '' }, 'run'],
    [{ seats: 0 }, 'seats'],
    [{ slices: 100_000 }, 'slices'],
    [{ pageSize: 1001 }, 'pageSize'],
    [{ bucket: '' }, 'bucket'],
    [{ prefix: '\ud800' }, 'prefix'],
    [{ cuts: ['\udc00'] }, 'cuts'],
  ])('%j', async (options, named) => {
    await using scene = await stage.scene();
    await mkdir(join(scene.root, bucket), { recursive: true });
    await expect(scene.plan(options)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(`${named}:`),
    });
  });

  it('a seat of a run that was never planned', async () => {
    await using scene = await stage.scene();
    await expect(scene.work()).rejects.toMatchObject({ name: 'UsageError' });
    await expect(scene.verify()).rejects.toMatchObject({ name: 'UsageError' });
    await scene.plan();
    await expect(scene.work({ seat: -1 })).rejects.toMatchObject({ name: 'UsageError' });
  });
});

describe('a listing that begins with an empty page', () => {
  it('D17 is followed to its keys: one that stopped there would report a part of the bucket as complete', async () => {
    await using scene = await stage.scene(tenKeys);
    let listings = 0;
    scene.faults = () => (++listings % 2 === 0 ? 'empty-page' : 'ok');
    const verdict = await scene.scan({ prefix: 'p/', pageSize: 4, seats: 2 });
    expect(verdict).toMatchObject({ status: 'complete', report: { objects: tenKeys.length, tiles: true } });
    expect(await scene.keys()).toEqual(inByteOrder(tenKeys));
  });
});
