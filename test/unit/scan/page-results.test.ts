import { describe, expect, it } from 'vitest';
import { LockLostError } from '../../../lib/errors/index.js';
import { type Lease, leaseFormat } from '../../../lib/lease/index.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import type { Processor } from '../../../lib/scan/index.js';
import { type SeatHost, SeatTime } from '../../../lib/scan/seats/seat-host.js';

import { SliceWork } from '../../../lib/scan/seats/slice-work.js';
import type { ItemChange } from '../../../lib/table/index.js';
import { MemoryBucket } from '../../support/scan/memory-bucket.js';

const name = 'scan/run/000000';

/** A slice at work on the second of its pages when its lease is lost, by somebody who says so at once or not at all. */
function workThatLoses(at: number) {
  let isLost = false;
  const written: ItemChange[] = [];
  const lease = {
    name,
    leaseId: 'lease',
    token: 7,
    itemBefore: {
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'lease',
      expiresAt: 9,
      progress: 0,
      splitProgress: 0,
    },
    signal: new AbortController().signal,
    throwIfLost: () => {
      if (isLost) throw new LockLostError(name, 'taken-over', 7);
    },
    renewWith: async (change: ItemChange) => {
      written.push(change);
      return { applied: true };
    },
    completeWith: async (_result: unknown, change: ItemChange) => {
      written.push(change);
      return { applied: true };
    },
    release: async (change: ItemChange) => {
      written.push(change);
      return 'lost';
    },
  };
  const merged: string[] = [];
  let pages = 0;
  const processor: Processor<readonly string[]> = {
    empty: () => [],
    process: (page) => {
      pages += 1;
      if (pages === at) isLost = true;
      return page.objects.map(({ key }) => key);
    },
    merge: (a, b) => {
      merged.push(...b);
      return [...a, ...b];
    },
  };
  const bucket = new MemoryBucket(['a', 'b', 'c', 'd', 'e', 'f']);
  const host = {
    context: { runtime: systemRuntime },
    s3: bucket.s3,
    run: { run: 'run', bucket: 'data', prefix: '', pageSize: 2, cuts: [], startedAtMs: 0 },
    seat: 0,
    processor,
    time: new SeatTime(systemRuntime, undefined, 0),
    pageTimeoutMs: 60_000,
    signal: undefined,
  } as unknown as SeatHost;
  return { work: new SliceWork(host, lease as unknown as Lease), merged, written };
}

describe('the result of a page', () => {
  it('is not taken after the lease was lost, though the processor ended well', async () => {
    const { work, merged } = workThatLoses(2);
    await expect(work.run()).rejects.toMatchObject({ cause: { name: 'LockLostError' } });
    expect(merged).toEqual(['a', 'b']);
    expect([work.pages, work.objects]).toEqual([1, 2]);
    // What is given back is what was done under the lease.
    await work.giveBack(false);
  });

  it('is not written as done before it is: a claim carries the cursor of the page before', async () => {
    const { work, written } = workThatLoses(99);
    await work.run();
    expect(written.map(({ set }) => [set?.claimed, set?.cursor])).toEqual([
      ['b', undefined],
      ['d', 'b'],
      ['f', 'd'],
      [undefined, 'f'],
    ]);
  });
});
