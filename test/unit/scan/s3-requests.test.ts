import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import type { ScanObject } from '../../../lib/scan/index.js';
import { firstKeyAfter, foldersIn, listPage } from '../../../lib/scan/listing/s3-listing.js';
import { payForRequests, S3Sender, s3Address } from '../../../lib/scan/listing/s3-requests.js';
import { SliceLister, withinSlice } from '../../../lib/scan/listing/slice-lister.js';
import { listenedSignal } from '../../support/listened-signal.js';
import { VirtualTime } from '../../support/virtual-time.js';

const named = (name: string, more: object = {}) => Object.assign(new Error('as asked'), { name, ...more });
const target = { bucket: 'data', prefix: 'p/' };

type Asked = Readonly<Record<string, unknown>>;

/** An S3 that answers by a function, in virtual time; what it was asked, when, and with which signals. */
function scene(answer: (input: Asked, times: number) => unknown) {
  const time = new VirtualTime();
  const asked: Asked[] = [];
  const signals: AbortSignal[] = [];
  const send = async (
    { input }: { readonly input: Asked },
    options: { readonly abortSignal: AbortSignal },
  ) => {
    asked.push(input);
    signals.push(options.abortSignal);
    const found = answer(input, asked.length);
    if (found instanceof Error) throw found;
    return found;
  };
  const sender = new S3Sender({ send } as never, time);
  return { time, asked, signals, sender };
}

const silence = () => new Promise<never>(() => {});

describe('a request to S3', () => {
  it('that is not answered within ten seconds is sent again, three times in all', async () => {
    const { time, asked, sender, signals } = scene(silence);
    const startMs = time.monotonicMs();
    await expect(time.until(sender.send({ input: {} }, 'data'))).rejects.toMatchObject({
      ...{ name: 'StoreError', retryable: true, cause: { name: 'TimeoutError' } },
    });
    expect(time.monotonicMs() - startMs).toBe(30_000);
    expect([asked.length, sender.count]).toEqual([3, 3]);
    for (const signal of signals) expect(signal.aborted).toBe(true);
    expect(time.timers).toBe(0);
  });

  it('may have other limits', async () => {
    const { time, sender } = scene(silence);
    const startMs = time.monotonicMs();
    const sent = sender.send({ input: {} }, 'data', undefined, 500, 2);
    await expect(time.until(sent)).rejects.toMatchObject({ name: 'StoreError' });
    expect(time.monotonicMs() - startMs).toBe(1_000);
    expect(sender.count).toBe(2);
  });

  it('that hung once is answered by the next', async () => {
    const { time, sender } = scene((_, times) => (times === 1 ? silence() : { ok: true }));
    expect(await time.until(sender.send({ input: {} }, 'data'))).toEqual({ ok: true });
    expect(sender.count).toBe(2);
  });

  it('counts what the SDK has sent for it, whether it was answered or not', async () => {
    const { sender } = scene((_, times) =>
      times === 1
        ? { $metadata: { attempts: 3 } }
        : named('SlowDown', { $metadata: { attempts: 2, httpStatusCode: 503 } }),
    );
    await sender.send({ input: {} }, 'data');
    expect(sender.count).toBe(3);
    await expect(sender.send({ input: {} }, 'data')).rejects.toMatchObject({ retryable: true });
    expect(sender.count).toBe(5);
  });

  it('that is refused is not sent again, and names the bucket', async () => {
    const { sender } = scene(() => named('AccessDenied', { $metadata: { httpStatusCode: 403 } }));
    await expect(sender.send({ input: {} }, 'data')).rejects.toMatchObject({
      ...{ name: 'StoreError', retryable: false, cause: { name: 'AccessDenied' } },
      message: expect.stringMatching(/^Bucket "data" /),
    });
    expect(sender.count).toBe(1);
    const { sender: nowhere } = scene(() => named('NoSuchBucket'));
    await expect(nowhere.send({ input: {} }, 'data')).rejects.toMatchObject({
      ...{ name: 'UsageError', message: 'There is no bucket "data"', cause: { name: 'NoSuchBucket' } },
    });
  });

  it('is part of waiting where credentials are away that were there before', async () => {
    const away = named('CredentialsProviderError');
    const { sender } = scene((_, times) => (times === 2 ? {} : away));
    await expect(sender.send({ input: {} }, 'data')).rejects.toMatchObject({ retryable: false });
    await sender.send({ input: {} }, 'data');
    await expect(sender.send({ input: {} }, 'data')).rejects.toMatchObject({ retryable: true });
  });

  it('ends with the caller’s signal and its reason, and is not sent again', async () => {
    const { time, sender, signals } = scene(silence);
    const stop = new AbortController();
    const sent = sender.send({ input: {} }, 'data', stop.signal);
    sent.catch(() => {});
    await time.pass(1);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(time.until(sent)).rejects.toBe(reason);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('the way to S3', () => {
  it('is to a bucket wherever it lies, or to one address that serves all buckets by their paths', () => {
    expect(s3Address({})).toEqual({ followRegionRedirects: true });
    expect(s3Address({ region: 'eu-west-1' })).toEqual({ region: 'eu-west-1', followRegionRedirects: true });
    expect(s3Address({ endpoint: 'http://x' })).toEqual({ endpoint: 'http://x', forcePathStyle: true });
  });

  it('D26 says with every request of a client that it pays', async () => {
    const headers: unknown[] = [];
    const client = new S3Client({
      ...{ region: 'eu-west-1', credentials: { accessKeyId: 'x', secretAccessKey: 'y' }, maxAttempts: 1 },
      requestHandler: {
        handle: async (request: { readonly headers: Readonly<Record<string, string>> }) => {
          headers.push(request.headers['x-amz-request-payer']);
          throw new Error('seen');
        },
      } as never,
    });
    payForRequests(client);
    const sender = new S3Sender(client, new VirtualTime());
    await expect(listPage(sender, target, { after: undefined, pageSize: 1 })).rejects.toThrow('seen');
    expect(headers).toEqual(['requester']);
  });
});

describe('a page', () => {
  it('has of each object what the listing tells, and what an S3 leaves out as AWS means it', async () => {
    const LastModified = new Date(1_234);
    const { sender } = scene(() => ({
      Contents: [{ Key: 'p/a', Size: 7, LastModified, StorageClass: 'GLACIER', ETag: '"x"' }, { Key: 'p/b' }],
    }));
    expect(await listPage(sender, target, { after: 'p/', pageSize: 9 })).toEqual({
      objects: [
        { key: 'p/a', size: 7, lastModifiedMs: 1_234, storageClass: 'GLACIER', etag: '"x"' },
        { key: 'p/b', size: 0, lastModifiedMs: 0, storageClass: 'STANDARD', etag: '' },
      ],
      truncated: false,
    });
  });

  it('is asked for behind a key, with its size and its encoding; and for the very first key behind nothing', async () => {
    const { sender, asked } = scene(() => ({}));
    await listPage(sender, target, { after: undefined, pageSize: 9 });
    await listPage(sender, target, { after: 'p/x', pageSize: 1_000 });
    expect(await firstKeyAfter(sender, target, 'p/y')).toBeUndefined();
    expect(await foldersIn(sender, target, 1_000)).toEqual([]);
    const always = { Bucket: 'data', Prefix: 'p/', EncodingType: 'url' };
    expect(asked).toEqual([
      { ...always, MaxKeys: 9 },
      { ...always, MaxKeys: 1_000, StartAfter: 'p/x' },
      { ...always, MaxKeys: 1, StartAfter: 'p/y' },
      { ...always, Delimiter: '/' },
    ]);
  });

  it('has its keys decoded where they were encoded, and as they are where the S3 does not know that', async () => {
    const Contents = [{ Key: 'p/a+b%2Bc' }];
    const keysOf = async (answer: object) => {
      const { objects } = await listPage(scene(() => answer).sender, target, {
        after: undefined,
        pageSize: 9,
      });
      return objects.map(({ key }) => key);
    };
    expect(await keysOf({ EncodingType: 'url', Contents })).toEqual(['p/a b+c']);
    expect(await keysOf({ Contents })).toEqual(['p/a+b%2Bc']);
    const odd = scene(() => ({ EncodingType: 'url', CommonPrefixes: [{ Prefix: 'p/%ff/' }] }));
    await expect(foldersIn(odd.sender, target, 1_000)).rejects.toThrow(
      /bucket "data" .* not UTF-8: p\/%ff\/$/,
    );
    const CommonPrefixes = [{ Prefix: 'p/a+b/' }];
    const { sender } = scene(() => ({ EncodingType: 'url', CommonPrefixes }));
    expect(await foldersIn(sender, target, 1_000)).toEqual(['p/a b/']);
  });

  it.each([
    [[{ Key: 'p/%ff' }], 'a key is not UTF-8: p/%ff'],
    [[{ Key: 'q/a' }], 'a listing of the prefix "p/" holds the key "q/a"'],
    [[{}], 'a listing of the prefix "p/" holds the key ""'],
    [[{ Key: 'p/a' }], 'it ignores StartAfter: behind "p/c" it lists "p/a"'],
    [[{ Key: 'p/c' }], 'it ignores StartAfter: behind "p/c" it lists "p/c"'],
    [[{ Key: 'p/f' }, { Key: 'p/e' }], 'its listing is not in UTF-8 order: "p/e" comes behind "p/f"'],
    [
      [{ Key: 'p/%F0%9F%98%80' }, { Key: 'p/%EF%BD%9E' }],
      'its listing is not in UTF-8 order: "p/\uff5e" comes behind "p/\u{1f600}"',
    ],
  ])('that slices can’t rest on is refused: %j', async (Contents, why) => {
    const { sender } = scene(() => ({ EncodingType: 'url', Contents }));
    await expect(listPage(sender, target, { after: 'p/c', pageSize: 9 })).rejects.toMatchObject({
      ...{ name: 'UsageError', message: `The S3 of bucket "data" can't be scanned in slices: ${why}` },
    });
  });

  it('that is empty, and promises more without a way to it, is refused', async () => {
    const { sender } = scene(() => ({ IsTruncated: true }));
    await expect(listPage(sender, target, { after: undefined, pageSize: 9 })).rejects.toThrow(
      /promises more keys behind an empty page, but no way to them$/,
    );
  });

  it('is found behind a thousand empty ones, and behind more it is given up', async () => {
    const pagesOf = (empty: number) =>
      scene((_, times) =>
        times <= empty
          ? { IsTruncated: true, NextContinuationToken: `t${times}` }
          : { Contents: [{ Key: 'p/a' }] },
      );
    const some = pagesOf(1_000);
    const page = await listPage(some.sender, target, { after: undefined, pageSize: 9 });
    expect(page.objects).toMatchObject([{ key: 'p/a' }]);
    const more = pagesOf(1_001);
    await expect(listPage(more.sender, target, { after: undefined, pageSize: 9 })).rejects.toThrow(
      /more than 1000 empty pages in a row$/,
    );
    expect(more.asked).toHaveLength(1_001);
  });

  it('asks for folders once, within the time that it is given', async () => {
    const { time, sender } = scene(silence);
    const startMs = time.monotonicMs();
    await expect(time.until(foldersIn(sender, target, 700))).rejects.toMatchObject({ name: 'StoreError' });
    expect(time.monotonicMs() - startMs).toBe(700);
    expect(sender.count).toBe(1);
  });
});

describe('the pages of a slice', () => {
  const listerOf = (answer: (input: Asked, times: number) => unknown, signal?: AbortSignal) => {
    const played = scene(answer);
    return { ...played, lister: new SliceLister(played.sender, target, 2, [signal]) };
  };
  const pageBehind = ({ StartAfter }: Asked) => ({ Contents: [{ Key: `${StartAfter ?? 'p/'}x` }] });

  it('may be asked for ahead, and are listed once', async () => {
    const { lister, asked } = listerOf(pageBehind);
    lister.prefetch('p/a');
    expect((await lister.page('p/a')).objects).toMatchObject([{ key: 'p/ax' }]);
    expect(asked).toMatchObject([{ StartAfter: 'p/a', MaxKeys: 2 }]);
    // What was used is not used again, nor one that lies elsewhere.
    await lister.page('p/a');
    lister.prefetch('p/b');
    expect((await lister.page('p/c')).objects).toMatchObject([{ key: 'p/cx' }]);
    expect(asked.map(({ StartAfter }) => StartAfter)).toEqual(['p/a', 'p/a', 'p/b', 'p/c']);
    expect((await lister.page(undefined)).truncated).toBe(false);
  });

  it('fail when they are asked for, not before', async () => {
    const { lister } = listerOf(() => named('AccessDenied'));
    lister.prefetch('p/a');
    await new Promise((resolve) => setImmediate(resolve));
    await expect(lister.page('p/a')).rejects.toMatchObject({ name: 'StoreError' });
  });

  it('end with the slice, and with a signal', async () => {
    const stop = new AbortController();
    const { lister, signals, time } = listerOf(silence, stop.signal);
    lister.prefetch('p/a');
    await time.pass(1);
    lister.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(lister.page('p/a')).rejects.toMatchObject({ name: 'AbortError' });
    const other = listerOf(silence, stop.signal);
    const listed = other.lister.page('p/a');
    listed.catch(() => {});
    await other.time.pass(1);
    stop.abort(new Error('enough'));
    await expect(listed).rejects.toThrow('enough');
  });

  it('leave nobody listening to a signal that goes on', async () => {
    const caller = listenedSignal();
    const { lister } = listerOf(pageBehind, caller.signal);
    lister.prefetch('p/a');
    await lister.page('p/a');
    expect(caller.listeners()).toBe(1);
    lister.close();
    expect(caller.listeners()).toBe(0);
  });

  it('are cut at the slice’s upper bound, by the order of UTF-8', () => {
    const page = ['a', '\uff5e', '\u{1f600}'].map((key) => ({ key })) as unknown as readonly ScanObject[];
    const keys = (hi: string | undefined) => withinSlice(page, hi).map(({ key }) => key);
    expect(keys(undefined)).toEqual(['a', '\uff5e', '\u{1f600}']);
    expect(keys('\u{1f600}')).toEqual(['a', '\uff5e', '\u{1f600}']);
    expect(keys('\uff5e')).toEqual(['a', '\uff5e']);
    expect(keys('b')).toEqual(['a']);
    expect(keys('A')).toEqual([]);
    expect(withinSlice([], 'b')).toEqual([]);
  });
});
