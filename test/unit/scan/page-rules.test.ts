import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../lib/lease/index.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { eachObject, type Processor, type ScanObject } from '../../../lib/scan/index.js';
import { listPage } from '../../../lib/scan/listing/s3-listing.js';
import { S3Sender } from '../../../lib/scan/listing/s3-requests.js';
import { PartialStore } from '../../../lib/scan/results/partial-store.js';
import { SliceProgress } from '../../../lib/scan/seats/slice-progress.js';
import type { SliceItem } from '../../../lib/scan/slices/slice.js';
import { VirtualTime } from '../../support/virtual-time.js';

const objects = (...keys: readonly string[]): ScanObject[] =>
  keys.map((key) => ({ key, size: 1, lastModifiedMs: 0, storageClass: 'STANDARD', etag: '' }));

describe('a listing', () => {
  it('is refused where a key comes twice, which would be handed out twice, or a lower one after a higher', async () => {
    for (const keys of [
      ['a', 'b', 'b', 'c'],
      ['b', 'b'],
      ['a', 'c', 'b'],
    ]) {
      const send = async () => ({ Contents: keys.map((Key) => ({ Key })), IsTruncated: false });
      const requests = new S3Sender({ send } as never, systemRuntime);
      const listed = listPage(requests, { bucket: 'data', prefix: '' }, { after: 'A', pageSize: 10 });
      await expect(listed).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('not in UTF-8 order'),
      });
    }
  });
});

describe('a slice’s progress', () => {
  const lease = { token: 7, signal: new AbortController().signal } as Lease;
  const processor: Processor<number> = { empty: () => 0, process: () => 1, merge: (a, b) => a + b };
  const partials = new PartialStore(new S3Sender({} as never, systemRuntime), undefined);
  const item = (more: Partial<SliceItem>) =>
    ({ name: 'scan/run/000000', version: 7, progress: 3, splitProgress: 0, ...more }) as SliceItem;
  const progressOf = (before: SliceItem) => new SliceProgress(before, 0, lease, processor, partials, () => 0);

  it('remembers a claim that a refusal shows: the next one does not fall behind it', async () => {
    const progress = progressOf(item({ claimed: 'f' }));
    progress.learned(item({ claimed: 'm', hi: 'x' }));
    expect(progress.hi).toBe('x');
    expect((await progress.claimOf(objects('g', 'h'))).claimed).toBe('m');
    expect((await progress.claimOf(objects('g', 'n'))).claimed).toBe('n');
  });

  it('keeps the claim that it has where a refusal shows an older one', async () => {
    const progress = progressOf(item({ claimed: 'm' }));
    progress.learned(item({ claimed: 'f' }));
    expect((await progress.claimOf(objects('g'))).claimed).toBe('m');
  });

  it('keeps the claim that was confirmed where the next page lies below it, as after a takeover', async () => {
    const progress = progressOf(item({}));
    progress.confirmed(await progress.claimOf(objects('a', 'm')));
    expect((await progress.claimOf(objects('b', 'c'))).claimed).toBe('m');
    expect(progress.number).toBe(4);
  });

  it('has no result before its first page, and no tries to take back', async () => {
    expect(Object.keys(await progressOf(item({})).done())).toEqual(['tally']);
    const resumed = await progressOf(item({ cursor: 'c', claimed: 'c' })).done();
    expect(resumed).toMatchObject({ cursor: 'c', partial: '0' });
    expect(resumed).not.toHaveProperty('attempts');
  });

  it('tells of what is done only what is done: a claim moves no cursor', async () => {
    const progress = progressOf(item({ cursor: 'c', claimed: 'c' }));
    const claim = await progress.claimOf(objects('d', 'e'));
    progress.confirmed(claim);
    expect((await progress.done()).cursor).toBe('c');
    expect(progress.hasMoved).toBe(false);
    progress.add(objects('d', 'e'), { partial: 1, failures: [] });
    expect((await progress.done()).cursor).toBe('e');
  });
});

describe('a large result', () => {
  it('that could not be written is written again, not taken for saved', async () => {
    let puts = 0;
    const send = async () => {
      puts += 1;
      if (puts === 1) throw Object.assign(new Error('as asked'), { name: 'AccessDenied' });
      return {};
    };
    const place = { bucket: 'out', prefix: 'p/' };
    const partials = new PartialStore(new S3Sender({ send } as never, systemRuntime), place, 2);
    await expect(partials.store('large', 1)).rejects.toMatchObject({ name: 'StoreError' });
    const stored = await partials.store('large', 1);
    expect(stored).toEqual({ s3: { bucket: 'out', key: 'p/partial-00000001.json' } });
    expect(puts).toBe(2);
    expect(await partials.store('large', 2)).toBe(stored);
    expect(puts).toBe(2);
  });
});

describe('work on each object', () => {
  it.each(['StaleTokenError', 'LockLostError'])(
    '%s is no object’s failure: it ends the page at once',
    async (name) => {
      const failed: string[] = [];
      let tries = 0;
      const signal = new AbortController().signal;
      const page = { objects: objects('a', 'b', 'c') };
      const work = async () => {
        tries += 1;
        throw Object.assign(new Error('as asked'), { name });
      };
      const options = { signal, failed: (key: string) => void failed.push(key), concurrency: 1 };
      await expect(eachObject(page, work, options)).rejects.toMatchObject({ name });
      expect(failed).toEqual([]);
      expect(tries).toBe(1);
    },
  );

  it('goes on with as many at a time as asked for, and no more', async () => {
    let [atWork, most] = [0, 0];
    const page = { objects: objects(...Array.from({ length: 20 }, (_, index) => `k${index}`)) };
    const work = async () => {
      most = Math.max(most, ++atWork);
      await Promise.resolve();
      await Promise.resolve();
      atWork -= 1;
    };
    const options = { signal: new AbortController().signal, failed: () => {}, concurrency: 5 };
    expect(await eachObject(page, work, options)).toEqual({ done: 20, failed: 0 });
    expect(most).toBe(5);
  });

  it('tries an object that failed twice more, ever farther apart, then records it, and works on the others', async () => {
    const time = new VirtualTime();
    const startMs = time.monotonicMs();
    const failed: [string, unknown][] = [];
    const tries: [string, number][] = [];
    const { signal } = new AbortController();
    const broken = new Error('broken');
    const work = async ({ key }: ScanObject, own: AbortSignal) => {
      expect(own).toBe(signal);
      tries.push([key, time.monotonicMs() - startMs]);
      if (key === 'b' || (key === 'c' && tries.filter(([one]) => one === 'c').length < 3)) throw broken;
    };
    const options = {
      signal,
      runtime: time,
      failed: (key: string, error: unknown) => void failed.push([key, error]),
    };
    const counts = await time.until(eachObject({ objects: objects('a', 'b', 'c', 'd') }, work, options));
    expect(counts).toEqual({ done: 3, failed: 1 });
    expect(failed).toEqual([['b', broken]]);
    expect(tries.filter(([key]) => key === 'b').map(([, ms]) => ms)).toEqual([0, 200, 550]);
    expect(tries.filter(([key]) => key === 'd')).toEqual([['d', 0]]);
  });

  it('tries as often as asked, at most half a minute apart, and works on eight at a time unless asked otherwise', async () => {
    const time = new VirtualTime();
    const { signal } = new AbortController();
    const triedMs: number[] = [];
    const work = () => {
      triedMs.push(time.monotonicMs());
      return Promise.reject(undefined);
    };
    const failed: unknown[] = [];
    const options = { signal, runtime: time, failed: (_: string, error: unknown) => void failed.push(error) };
    await time.until(eachObject({ objects: objects('a') }, work, { ...options, retries: 20 }));
    expect(triedMs).toHaveLength(21);
    expect(Math.max(...triedMs.slice(1).map((ms, i) => ms - triedMs[i]!))).toBe(30_000);
    expect(failed).toEqual([new Error('failed without an error')]);
    triedMs.length = 0;
    await time.until(eachObject({ objects: objects('a') }, work, { ...options, retries: 0 }));
    expect(triedMs).toHaveLength(1);
    let [atWork, most] = [0, 0];
    const page = { objects: objects(...Array.from({ length: 20 }, (_, index) => `k${index}`)) };
    const slow = async () => {
      most = Math.max(most, ++atWork);
      await Promise.resolve();
      atWork -= 1;
    };
    await eachObject(page, slow, options);
    expect(most).toBe(8);
    await eachObject(page, slow, { ...options, concurrency: 1_000 });
    for (const wrong of [{ concurrency: 0 }, { concurrency: 1_001 }, { retries: -1 }, { retries: 21 }]) {
      const [name] = Object.keys(wrong);
      const refused = { name: 'UsageError', message: expect.stringMatching(`^${name}: `) };
      await expect(eachObject(page, slow, { ...options, ...wrong })).rejects.toMatchObject(refused);
    }
  });

  it('ends the page with its signal, in a pause, before a try, and where the work fails because of it', async () => {
    const time = new VirtualTime();
    const failed: string[] = [];
    for (const abortsIn of ['pause', 'work']) {
      const caller = new AbortController();
      const { signal } = caller;
      let tries = 0;
      const work = async () => {
        tries += 1;
        if (abortsIn === 'work') caller.abort(new Error('enough'));
        throw new Error('broken');
      };
      const options = {
        signal,
        runtime: time,
        failed: (key: string) => void failed.push(key),
        concurrency: 1,
      };
      const ended = eachObject({ objects: objects('a', 'b') }, work, options);
      ended.catch(() => {});
      await time.pass(100);
      caller.abort(new Error('enough'));
      await expect(time.until(ended)).rejects.toThrow('enough');
      expect(tries).toBe(1);
      await expect(eachObject({ objects: objects('a') }, work, options)).rejects.toThrow('enough');
      expect(tries).toBe(1);
    }
    expect(failed).toEqual([]);
    expect(time.timers).toBe(0);
  });
});
