import type { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { type Processor, planScan, type ScanEvents, verifyScan, workSeat } from '../../../lib/scan/index.js';
import { FastS3 } from '../../bench/scan/fast-s3.js';
import { layouts } from '../../bench/scan/layouts.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import '../../simulation/run/loaded.js';
import { endsOfHangingRequests } from '../../support/hanging-requests.js';
import { onScan } from '../../support/scan/scan-events.js';

usePlainAbort();

const run = 'r';
const counting: Processor<null> = { empty: () => null, process: () => null, merge: () => null };
const name = (ordinal: number) => `scan/${run}/${String(ordinal).padStart(6, '0')}`;

/** Two thousand keys in pages of twenty, in one slice. */
async function plannedIn(world: VirtualWorld) {
  const s3 = new FastS3(layouts.sequential!(2_000), world.loop, 10) as unknown as S3Client;
  const locks = world.locks(world.process('planner'));
  await world.until(planScan({ locks, s3, run, bucket: 'zoo', seats: 1, pageSize: 20 }));
  return s3;
}

async function scene() {
  const world = new VirtualWorld(3);
  const s3 = await plannedIn(world);
  return {
    world,
    s3,
    seat: (seat: number, changes: Partial<Parameters<typeof workSeat>[0]> = {}) =>
      workSeat({
        locks: world.locks(world.process(`p${seat}`)),
        s3,
        run,
        seat,
        processor: counting,
        ...changes,
      }),
  };
}

/** What of an event was told, the oldest first. */
function told<Name extends keyof ScanEvents>(event: Name): ScanEvents[Name][] & Disposable {
  const all: ScanEvents[Name][] = [];
  const listening = onScan(event, run, (one) => all.push(one));
  return Object.assign(all, { [Symbol.dispose]: () => listening[Symbol.dispose]() });
}

describe('a seat', () => {
  it('ends with its signal, whichever of its first requests is under way, up to its first lease', async () => {
    const ends = await endsOfHangingRequests(
      ({ world, client, signal, prepared }) =>
        workSeat({
          locks: world.locks(world.process('seat'), { client }),
          s3: prepared as S3Client,
          run,
          seat: 0,
          processor: counting,
          signal,
        }),
      async (world) => {
        const s3 = new FastS3(layouts.sequential!(2_000), world.loop, 10) as unknown as S3Client;
        const locks = world.locks(world.process('planner'));
        await planScan({ locks, s3, run, bucket: 'zoo', seats: 1, pageSize: 20 });
        return s3;
      },
      5,
    );
    expect(ends).toHaveLength(5);
    for (const [i, end] of ends.entries()) expect(end).toMatchObject({ message: `given up at request ${i}` });
  });

  it('tells which slice it has taken, from whom, and how it ended', async () => {
    const { world, seat } = await scene();
    using acquired = told('scan-slice-acquired');
    using ended = told('scan-seat-ended');
    const answer = await world.until(seat(0));
    expect(acquired).toHaveLength(1);
    expect(acquired[0]).toMatchObject({
      run,
      seat: 0,
      slice: '000000',
      name: name(0),
      takenOver: false,
      attempts: 1,
    });
    expect(acquired[0]!.takenOverFrom).toBeUndefined();
    expect([...ended]).toEqual([answer]);
  });

  it('has given its slice back before it fails for what is no fault of the slice', async () => {
    const { world, seat, s3 } = await scene();
    let lists = 0;
    const denied = Object.assign(new Error('no right'), {
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
    const send = async (...args: Parameters<typeof s3.send>) => {
      if (++lists === 3) throw denied;
      return s3.send(...args);
    };
    await expect(world.until(seat(0, { s3: { send } as never }))).rejects.toThrow();
    expect(world.items.get(name(0))!.leaseId).toBeUndefined();
    expect(world.items.get(name(0))!.version).toBeDefined();
  });

  it('takes over at once what an earlier instance of it holds, and tells from whom', async () => {
    const { world, seat } = await scene();
    const before = world.locks(world.process('before'));
    const owner = `scan/${run}/seat-0`;
    const earlier = await world.until(before.acquire(name(0), { owner, leaseMs: 3_600_000 }));
    using acquired = told('scan-slice-acquired');
    const startMs = world.nowMs;
    expect(await world.until(seat(0))).toMatchObject({ status: 'done', slices: 1, takeovers: 1 });
    expect(world.nowMs - startMs).toBeLessThan(60_000);
    expect(acquired[0]).toMatchObject({ takenOver: true, takenOverFrom: { owner, token: earlier.token } });
  });

  it('gives a slice away whose guard has seen a newer token, with what it said', async () => {
    const { world, seat } = await scene();
    const stale = Object.assign(new Error('a newer one was seen'), { name: 'StaleTokenError' });
    let pages = 0;
    const processor: Processor<null> = {
      ...counting,
      process() {
        if (++pages === 2) throw stale;
        return null;
      },
    };
    const stored: unknown[] = [];
    using lost = told('scan-slice-lost');
    using _look = onScan('scan-slice-lost', run, () => stored.push(world.items.get(name(0))!.lastError?.S));
    expect(await world.until(seat(0, { processor }))).toMatchObject({ status: 'done', slices: 1, lost: 1 });
    expect([...lost]).toMatchObject([{ run, seat: 0, name: name(0), reason: 'stale-token', error: stale }]);
    expect(stored).toEqual([expect.stringContaining('a newer one was seen')]);
  });

  it('that waits for what others hold tells how long it will, until its next look', async () => {
    const { world, seat } = await scene();
    const other = world.locks(world.process('other'));
    await world.until(other.acquire(name(0), { owner: 'other', leaseMs: 3_600_000 }));
    using waits = told('scan-seat-waits');
    const stop = new AbortController();
    const working = seat(0, { signal: stop.signal });
    world.loop.after(20_000, () => stop.abort(new Error('enough')));
    await expect(world.until(working)).rejects.toThrow('enough');
    expect(waits.length).toBeGreaterThan(5);
    for (const { waitMs, held } of waits) {
      expect(held).toBe(1);
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(3_000);
    }
    const sum = waits.reduce((total, { waitMs }) => total + waitMs, 0);
    expect(sum).toBeGreaterThan(15_000);
  });

  it('counts how often a slice was granted without progress, and ends without those that were given up', async () => {
    const { world, seat } = await scene();
    using acquired = told('scan-slice-acquired');
    using released = told('scan-slice-released');
    const processor: Processor<null> = {
      ...counting,
      process() {
        throw new Error('a bad page');
      },
    };
    await world.until(seat(0, { processor }));
    expect(acquired.map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4]);
    expect(released.map(({ why }) => why)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(world.items.get(name(0))).toMatchObject({
      attempts: { N: '4' },
      lastError: { S: expect.stringContaining('a bad page') },
    });
  });

  it('gives its slice back before its time is over, and says that there is more', async () => {
    const { world, seat } = await scene();
    using released = told('scan-slice-released');
    const endMs = world.nowMs + 6_000;
    const slow: Processor<null> = { ...counting, process: () => world.loop.sleep(400).then(() => null) };
    const answer = await world.until(
      seat(0, { processor: slow, remainingMs: () => endMs - world.nowMs, marginMs: 2_000 }),
    );
    expect(answer).toMatchObject({ status: 'more', slices: 0 });
    expect(answer.pages).toBeGreaterThan(3);
    expect(released.map(({ why }) => why)).toEqual(['out-of-time']);
    expect(world.nowMs).toBeLessThan(endMs - 1_500);
    expect(world.items.get(name(0))!.leaseId).toBeUndefined();
    // That grant does not count against the slice.
    expect(world.items.get(name(0))!.attempts?.N ?? '0').toBe('0');
  });

  it('looks often while those that hold the rest move on', async () => {
    const { world, seat } = await scene();
    const other = world.locks(world.process('other'));
    await world.until(other.acquire(name(0), { owner: 'other', leaseMs: 3_600_000 }));
    let progress = 0;
    const move = () => {
      world.items.set(name(0), { ...world.items.get(name(0))!, progress: { N: String(++progress) } });
      world.loop.after(10, move);
    };
    move();
    using waits = told('scan-seat-waits');
    const stop = new AbortController();
    world.loop.after(20_000, () => stop.abort(new Error('enough')));
    await expect(world.until(seat(0, { signal: stop.signal }))).rejects.toThrow('enough');
    expect(waits.length).toBeGreaterThan(40);
    for (const { waitMs } of waits) expect(waitMs).toBeLessThanOrEqual(400);
  });
});

it('a look at how the run stands ends with its signal, whichever of its requests is under way', async () => {
  const ends = await endsOfHangingRequests(
    ({ world, client, signal, prepared }) =>
      verifyScan({
        locks: world.locks(world.process('verify'), { client }),
        s3: prepared as S3Client,
        run,
        processor: counting,
        signal,
      }),
    async (world) => {
      const s3 = new FastS3(layouts.sequential!(2_000), world.loop, 10) as unknown as S3Client;
      const locks = world.locks(world.process('planner'));
      await planScan({ locks, s3, run, bucket: 'zoo', seats: 1, pageSize: 20 });
      return s3;
    },
  );
  expect(ends.length).toBeGreaterThan(3);
});
