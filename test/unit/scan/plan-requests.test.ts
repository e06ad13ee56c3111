import { describe, expect, it } from 'vitest';
import { planningOf } from '../../support/scan/planning.js';

function named(name: string): Error {
  return Object.assign(new Error('as asked'), { name });
}

describe('the requests of a plan', () => {
  it('all carry bucket, prefix and encoding; a page has its size, a probe one key', async () => {
    const { bucket, requests } = planningOf({ keys: ['p/a', 'p/b', 'p/c'], prefix: 'p/', pageSize: 2 });
    const page = await requests.page(undefined);
    expect(page.objects.map(({ key }) => key)).toEqual(['p/a', 'p/b']);
    expect(page.truncated).toBe(true);
    expect((await requests.page('p/b')).objects.map(({ key }) => key)).toEqual(['p/c']);
    expect(await requests.firstKeyAfter('p/a')).toBe('p/b');
    expect(await requests.firstKeyAfter('p/c')).toBeUndefined();
    expect(await requests.foldersIn('p/')).toEqual([]);
    for (const input of bucket.asked) {
      expect(input).toMatchObject({ Bucket: 'data', Prefix: 'p/', EncodingType: 'url' });
    }
    expect(bucket.asked.map(({ MaxKeys, StartAfter }) => [MaxKeys, StartAfter])).toEqual([
      [2, undefined],
      [2, 'p/b'],
      [1, 'p/a'],
      [1, 'p/c'],
      [undefined, undefined],
    ]);
  });

  it('are counted against the limit, down to none left', async () => {
    const { requests } = planningOf({ keys: ['a'], limit: 2 });
    expect([requests.used, requests.left]).toEqual([0, 2]);
    await requests.page(undefined);
    expect([requests.used, requests.left]).toEqual([1, 1]);
    await requests.firstKeyAfter('a');
    await requests.firstKeyAfter('b');
    expect([requests.used, requests.left]).toEqual([3, 0]);
  });

  it('bring no folders where those are denied or fail: they are only a help', async () => {
    const { bucket, requests } = planningOf({ keys: ['a/b', 'c/d'] });
    expect(await requests.foldersIn('')).toEqual(['a/', 'c/']);
    expect(await requests.foldersIn('a/')).toEqual([]);
    bucket.trouble = () => {
      throw named('AccessDenied');
    };
    expect(await requests.foldersIn('')).toBeUndefined();
  });

  it('end at what no help can be: a bucket that is not there, and the caller’s own signal', async () => {
    const controller = new AbortController();
    const { bucket, requests } = planningOf({ keys: ['a/b'], signal: controller.signal });
    bucket.trouble = () => {
      throw named('NoSuchBucket');
    };
    await expect(requests.foldersIn('')).rejects.toMatchObject({ name: 'UsageError' });
    const reason = named('StoreError');
    controller.abort(reason);
    await expect(requests.foldersIn('')).rejects.toBe(reason);
    await expect(requests.page(undefined)).rejects.toBe(reason);
    await expect(requests.firstKeyAfter('a')).rejects.toBe(reason);
  });

  it('of folders wait no longer than five seconds, and are not sent again', async () => {
    const { bucket, requests, timers } = planningOf({ keys: ['a/b'] });
    bucket.hangs = true;
    const folders = requests.foldersIn('');
    expect(timers.delaysMs).toEqual([5_000]);
    timers.fire();
    expect(await folders).toBeUndefined();
    expect(requests.used).toBe(1);
    expect(timers.delaysMs).toEqual([]);
  });
});
