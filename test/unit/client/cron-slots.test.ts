import { describe, expect, it } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { denial, kitScene, trouble } from '../../support/kit/kit-scene.js';

usePlainAbort();

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

function scene() {
  const own = kitScene();
  const { world } = own;
  const now = Math.floor(world.nowMs / minute) * minute;
  const put = (item: Readonly<Record<string, number | string>>) => {
    const values = Object.entries({ format: leaseFormat, version: 7, ...item }).map(([key, value]) => [
      key,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]);
    world.items.set('x', { name: { S: 'x' }, ...Object.fromEntries(values) });
  };
  const slot = (at: number | Date, job: (lease: Lease) => unknown = () => 'ran', options = {}) =>
    own.locks('own').cronSlot('x', at, job, options);
  const ran = (...given: Parameters<typeof slot>) => world.until(slot(...given));
  return { ...own, own, world, now, put, slot, ran };
}

const never = () => {
  throw new Error('it was run');
};

describe('the job of a slot', () => {
  it('is run once, in two writes, and refused in one afterwards', async () => {
    const { ran, now, own, world } = scene();
    expect(await ran(new Date(now), ({ name }) => name)).toEqual({ ran: true, result: 'x' });
    expect(own.writesOf('own')).toBe(2);
    expect(world.items.get('x')).toMatchObject({ slot: { N: String(now) }, slotDone: { N: String(now) } });
    expect(await ran(now, never)).toEqual({ ran: false, reason: 'finished', holder: undefined });
    expect(own.writesOf('own')).toBe(3);
  });

  it('C43 is not run once a later one was started, finished or not', async () => {
    const { ran, now, world } = scene();
    const error = new Error('the job’s own');
    const failed = ran(now, () => Promise.reject(error));
    await expect(failed).rejects.toBe(error);
    expect(world.items.get('x')).not.toHaveProperty('slotDone');
    expect(await ran(now - 1, never)).toEqual({ ran: false, reason: 'overtaken', holder: undefined });
    expect(await ran(now)).toEqual({ ran: true, result: 'ran' });
    expect(await ran(now - 1, never)).toMatchObject({ reason: 'overtaken' });
    expect(await ran(now + 1)).toMatchObject({ ran: true });
  });

  it('is skipped while another’s is run, and by whom that is told; or waits for it', async () => {
    const { own, ran, slot, now, world } = scene();
    const held = await world.until(own.locks('other').acquire('x'));
    const { token, leaseId } = held;
    const skipped = await ran(now, never);
    expect(skipped).toMatchObject({ ran: false, reason: 'held', holder: { owner: 'other', token, leaseId } });
    own.after_ms(3_000, () => held.release());
    expect(await world.until(slot(now, undefined, { waitMs: minute }))).toEqual({ ran: true, result: 'ran' });
  });

  it('is not waited for any more, nor written for, once it can’t be had', async () => {
    const { own, slot, now, world } = scene();
    const startMs = world.nowMs;
    const held = own.locks('other').cronSlot('x', now, () => world.loop.sleep(5_000));
    await own.sleep(1_000);
    const older = await world.until(slot(now - 1, never, { waitMs: hour }));
    expect(older).toMatchObject({ ran: false, reason: 'overtaken', holder: { owner: 'other' } });
    expect(world.nowMs - startMs).toBeLessThan(1_500);
    const same = await world.until(slot(now, never, { waitMs: hour }));
    expect(same).toMatchObject({ ran: false, reason: 'finished' });
    expect(world.nowMs - startMs).toBeLessThan(7_500);
    expect(own.writesOf('own')).toBe(2);
    await world.until(held);
  });

  it('is told of trouble of the store as any acquire is', async () => {
    const { own, slot, now, failure } = scene();
    own.before = async () => {
      throw denial();
    };
    expect(await failure(slot(now, never))).toMatchObject({ name: 'StoreError', retryable: false });
  });
});

describe('the end of a slot', () => {
  it('is written until the store takes it', async () => {
    const { own, ran, now, world } = scene();
    let troubles = 0;
    const job = () => {
      own.before = async () => {
        if (troubles++ < 3) throw trouble();
      };
      return 'done';
    };
    expect(await ran(now, job)).toEqual({ ran: true, result: 'done' });
    expect(troubles).toBe(4);
    expect(world.items.get('x')).toMatchObject({ slotDone: { N: String(now) } });
    expect(world.items.get('x')).not.toHaveProperty('leaseId');
  });

  it('of a job whose lease was lost is that loss, with its result, and leaves the slot open', async () => {
    const { own, ran, slot, now, failure, world } = scene();
    const short = { leaseMs: 6_000 };
    // Found by a renewal while it is run, or by the release.
    for (const restMs of [5_000, 0]) {
      const job = async () => {
        const operator = own.locks('operator');
        const info = await operator.inspect('x');
        await operator.break('x', info!.leaseId!);
        await world.loop.sleep(restMs);
        return 'late';
      };
      const lost = await failure(slot(now, job, short));
      expect(lost).toMatchObject({ name: 'LockLostError', reason: 'broken', result: 'late' });
      expect(world.items.get('x')).not.toHaveProperty('slotDone');
    }
    expect(await ran(now)).toMatchObject({ ran: true });
  });

  it('can’t be said by a job that gave its own lease back: the slot stays open, and that is told', async () => {
    const { slot, now, failure, world } = scene();
    const error = await failure(slot(now, (lease) => lease.release()));
    expect(error).toMatchObject({ name: 'UsageError', lockName: 'x' });
    expect(error.message).toBe('The job has given its lease back: its slot stays open');
    expect(world.items.get('x')).not.toHaveProperty('slotDone');
  });
});

describe('a slot’s time', () => {
  it.each<[unknown, RegExp]>([
    [Number.NaN, /^scheduledTime: must be a Date or whole milliseconds since the epoch, got NaN$/],
    [1.5e12 + 0.5, /^scheduledTime: must be a Date or whole/],
    [new Date(Number.NaN), /^scheduledTime: must be a Date or whole/],
    ['2031-04-07T11:13:00Z', /^scheduledTime: must be a Date or whole .*got "2031-04-07T11:13:00Z"$/],
    [
      1_933_333_333,
      /^scheduledTime: .*; 1933333333 would be in 1970, these are seconds: new Date\(1933333333 \* 1000\)$/,
    ],
    [-1_933_333_333, /these are seconds/],
    [0, /these are seconds/],
  ])('that can be none is refused by name, and nothing is sent: %s', async (at, message) => {
    const { slot, failure, own } = scene();
    const error = await failure(slot(at as never, never));
    expect(error).toMatchObject({ name: 'UsageError', lockName: 'x' });
    expect(error.message).toMatch(message);
    expect(own.asked).toEqual([]);
  });

  it('C43 lies no further ahead of the store’s time than an hour', async () => {
    const { slot, ran, now, failure, own } = scene();
    // The store's time is known to a second.
    expect(await ran(now + hour)).toMatchObject({ ran: true });
    const far = now + hour + minute + 2_000;
    const error = await failure(slot(far, never));
    expect(error).toMatchObject({ name: 'UsageError', lockName: 'x' });
    const [, aheadMs] = /must be at most 3600000 ms ahead of the store's time, is (\d+) ms ahead/.exec(
      error.message,
    )!;
    expect(Math.abs(Number(aheadMs) - (far - own.world.nowMs))).toBeLessThan(1_100);
    expect(own.writesOf('own')).toBe(2);
  });

  it('C43 is not so far back that a run of it may have been forgotten', async () => {
    const { ran, now, own, world } = scene();
    const forgotten = now - week + hour;
    const refused = await ran(forgotten - 1_000, never);
    expect(refused).toEqual({ ran: false, reason: 'too-old', holder: undefined });
    expect(world.items.has('x')).toBe(false);
    expect(own.writesOf('own')).toBe(0);
    expect(await ran(forgotten + minute + 2_000)).toMatchObject({ ran: true });
  });

  it('is asked of the store where it is not known, and given up with its signal', async () => {
    const { own, slot, now, failure } = scene();
    const aborted = AbortSignal.abort(new Error('too late'));
    expect(await failure(slot(now, never, { signal: aborted }))).toMatchObject({ message: 'too late' });
    expect(own.asked).toEqual([]);
    const caller = new AbortController();
    own.before = async () => {
      caller.abort(new Error('enough'));
      throw denial();
    };
    const { signal } = caller;
    expect(await failure(slot(now, never, { signal }))).toMatchObject({ message: 'enough' });
    expect(own.asked).toHaveLength(1);
  });
});

describe('what is no slot', () => {
  it.each<Readonly<Record<string, number | string>>>([
    { slot: 'nightly' },
    { slotDone: 'nightly' },
    { slot: 5, slotDone: 'nightly' },
  ])('and was written by somebody else is left alone: %j', async (item) => {
    const { put, slot, now, failure, world } = scene();
    // Held, so that it is read.
    put({ ...item, leaseId: 'l', expiresAt: now + hour });
    const before = world.items.get('x');
    const error = await failure(slot(now, never, { waitMs: minute }));
    expect(error).toMatchObject({ name: 'UsageError', lockName: 'x' });
    expect(error.message).toContain('The item "x" was not written by cronSlot');
    expect(world.items.get('x')).toEqual(before);
  });

  it('is run by no client of a service, which can’t write it', async () => {
    const send = () => Promise.reject(new Error('nothing is sent'));
    await using locks = new LockClient({ service: { send } as never });
    await expect(locks.cronSlot('x', Date.now(), never)).rejects.toMatchObject({
      ...{ name: 'UsageError', lockName: 'x' },
      message: 'cronSlot: needs a client with a table, not one with a service',
    });
  });
});
