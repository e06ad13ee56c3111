import { NumberValueImpl } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import type { AcquireOptions, LockClientOptions } from '../../../lib/client/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { EventLog } from '../../support/event-log.js';

usePlainAbort();

let lastName = 0;

/** A process with a client, whose requests can be made to fail. */
function scene(options: Partial<LockClientOptions> = {}) {
  const world = new VirtualWorld(1);
  const own = world.process('holder');
  const plain = world.client(own);
  const faults: { now: Error | undefined } = { now: undefined };
  const send = (...args: Parameters<typeof plain.send>) =>
    faults.now ? Promise.reject(faults.now) : plain.send(...args);
  const locks = world.locks(own, { client: { send } as never, ...options });
  const name = `held ${++lastName}`;
  const item = () => world.items.get(name)!;
  const number = (attribute: string) => Number(item()[attribute]!.N);
  return {
    ...{ world, own, locks, name, faults, item, number },
    acquire: (acquire: AcquireOptions = {}) => world.until(locks.acquire(name, acquire)),
    pass: (ms: number) => world.until(world.loop.sleep(ms)),
    other: (more: Partial<LockClientOptions> = {}) => world.locks(world.process('other'), more),
    /** Milliseconds between the writes. */
    gaps: () => world.writtenAt.slice(1).map((at, index) => at - world.writtenAt[index]!),
  };
}

function away(): Error {
  return Object.assign(new Error('the store is away'), { name: 'InternalServerError' });
}

const about = (ms: number, by = 50) => ({
  asymmetricMatch: (value: unknown) => typeof value === 'number' && Math.abs(value - ms) <= by,
  toString: () => `about ${ms}`,
});

describe('C42 a lease that is held is renewed', () => {
  it.each<[string, AcquireOptions, number]>([
    ['every third of it', {}, 10_000],
    ['as often as the call says', { renewEveryMs: 4_000 }, 4_000],
    ['every third of its own length', { leaseMs: 60_000 }, 20_000],
  ])('%s', async (_, options, everyMs) => {
    const { acquire, pass, gaps } = scene();
    const lease = await acquire(options);
    await pass(5 * everyMs + 500);
    expect(gaps()).toEqual(Array.from({ length: 5 }, () => about(everyMs)));
    expect(lease.isHeld).toBe(true);
  });

  it('to an end that others need not wait for longer than its length, as granted and as renewed', async () => {
    const { world, acquire, pass, number, name } = scene();
    using log = new EventLog();
    const { token, leaseId } = await acquire();
    for (let times = 0; times < 3; times++) {
      const lastsMs = number('expiresAt') - world.writtenAt.at(-1)!;
      expect(lastsMs).toBeGreaterThan(27_000);
      expect(lastsMs).toBeLessThan(30_000);
      await pass(10_100);
    }
    const { length, [length - 1]: last } = log.of('renewed', name);
    expect(length).toBe(3);
    expect(last).toEqual({ name, owner: 'holder', token, leaseId, expiresAt: number('expiresAt') });
  });

  it('counted anew from each renewal that was asked for', async () => {
    const { world, acquire, pass, gaps } = scene();
    const lease = await acquire();
    await pass(6_000);
    await world.until(lease.renew());
    await pass(10_500);
    expect(gaps()).toEqual([about(6_000), about(10_000)]);
  });

  it('many of one process at times that lie apart, each in its own step', async () => {
    const { world, locks, pass } = scene();
    for (let i = 0; i < 8; i++) await world.until(locks.acquire(`many ${i}`));
    const granted = world.writtenAt.length;
    await pass(10_500);
    const first = world.writtenAt.slice(granted);
    expect(first.length).toBeGreaterThanOrEqual(8);
    const apart = first.slice(1).map((at, index) => at - first[index]!);
    expect(Math.min(...apart)).toBeGreaterThan(100);
    expect(first[0]! - world.writtenAt[granted - 1]!).toBeGreaterThan(3_000);
  });

  it('sooner where that failed, and told; in step again once it worked', async () => {
    const { world, acquire, pass, faults, name } = scene();
    using log = new EventLog();
    const lease = await acquire();
    faults.now = away();
    await pass(10_100);
    const tries = () => log.of('renewal-failed', name).length;
    expect(tries()).toBe(1);
    await pass(1_100);
    expect(tries()).toBe(1);
    await pass(9_000);
    expect(tries()).toBeGreaterThanOrEqual(4);
    expect(tries()).toBeLessThanOrEqual(9);
    faults.now = undefined;
    await pass(2_000);
    expect(lease.isHeld).toBe(true);
    const before = world.writes;
    await pass(9_000);
    expect(world.writes).toBe(before);
  });
});

describe('a lease that can’t be renewed', () => {
  it('C01 is given up a tenth of it before its end; the reason is the store, and its error the cause', async () => {
    const { acquire, pass, faults } = scene();
    const lease = await acquire();
    const { signal } = lease;
    faults.now = away();
    await pass(24_000);
    expect([lease.isHeld, signal.aborted]).toEqual([true, false]);
    await pass(3_500);
    expect([lease.isHeld, signal.aborted]).toEqual([false, true]);
    expect(lease.loss).toMatchObject({
      ...{ name: 'LockLostError', reason: 'store-unavailable', token: lease.token },
      cause: { name: 'StoreError', cause: faults.now },
    });
    expect(signal.reason).toBe(lease.loss);
    expect(() => lease.throwIfLost()).toThrow(lease.loss);
    expect(lease.remainingMs).toBe(0);
  });

  it('is given up as much sooner as the call says', async () => {
    const { acquire, pass, faults } = scene();
    const lease = await acquire({ safetyMarginMs: 10_000 });
    faults.now = away();
    await pass(17_000);
    expect(lease.signal.aborted).toBe(false);
    await pass(3_500);
    expect(lease.loss).toMatchObject({ reason: 'store-unavailable' });
  });
});

describe('a hold that ends by itself', () => {
  const cap = { maxHoldMs: 45_000 };
  const leaving = (world: VirtualWorld, ms: number) => {
    const end = world.nowMs + ms;
    return { endsInMs: () => end - world.nowMs };
  };

  it.each<[string, (world: VirtualWorld) => AcquireOptions]>([
    ['by its cap', () => cap],
    ['with its caller’s own time', (world) => leaving(world, 45_000)],
    ['by whichever is nearer', (world) => ({ maxHoldMs: 100_000, ...leaving(world, 45_000) })],
    ['by whichever is nearer, the cap', (world) => ({ ...cap, ...leaving(world, 100_000) })],
  ])('%s: is renewed until then, no further, and lost as such', async (_, options) => {
    const { world, acquire, pass, number, name } = scene();
    using log = new EventLog();
    const lease = await acquire(options(world));
    const ends = lease.acquiredAt + 45_000;
    await pass(39_500);
    expect(lease.isHeld).toBe(true);
    expect(number('expiresAt')).toBeLessThanOrEqual(ends + 1_000);
    expect(number('expiresAt')).toBeGreaterThan(ends - 2_100);
    await pass(4_000);
    expect(lease.isHeld).toBe(false);
    expect(lease.loss).toMatchObject({ reason: 'max-hold' });
    expect(log.of('renewal-failed', name)).toEqual([]);
    // At 10 and 20 seconds: then nothing is left to renew.
    expect(world.writes).toBe(3);
  });

  it('sooner than a lease would is a shorter lease, with a tenth of it as its margin, and no renewal', async () => {
    for (const options of [{ maxHoldMs: 10_000 }, { maxHoldMs: 10_000, safetyMarginMs: 3_000 }]) {
      const { acquire, pass, number, world } = scene();
      const lease = await acquire(options);
      expect(number('expiresAt') - lease.acquiredAt).toBeLessThanOrEqual(10_001);
      await pass(7_000);
      expect(lease.isHeld).toBe(true);
      await pass(2_500);
      expect(lease.loss).toMatchObject({ reason: 'max-hold' });
      expect(world.writes).toBe(1);
    }
  });

  it('of a client’s own cap counts for all its leases, and a call may say another', async () => {
    const { acquire, pass, locks, world } = scene(cap);
    const lease = await acquire();
    const longer = await world.until(locks.acquire('longer', { maxHoldMs: 100_000 }));
    await pass(46_000);
    expect(lease.loss).toMatchObject({ reason: 'max-hold' });
    expect(longer.isHeld).toBe(true);
  });
});

describe('a lock with a least hold', () => {
  it.each([
    [5_000, 20_000, true],
    [25_000, 20_000, false],
  ])('released after %d ms of %d is kept from others until then: %j', async (heldMs, minHoldMs, isKept) => {
    const { world, acquire, pass, item, other, name } = scene();
    const lease = await acquire({ minHoldMs });
    await pass(heldMs);
    await world.until(lease.release());
    expect('freeFrom' in item()).toBe(isKept);
    const next = await world.until(other().acquire(name, { waitMs: 60_000 }));
    expect(next.acquiredAt - lease.acquiredAt).toBeGreaterThanOrEqual(isKept ? minHoldMs : heldMs);
    expect(next.acquiredAt - lease.acquiredAt).toBeLessThan(isKept ? minHoldMs + 4_000 : heldMs + 2_000);
    await world.until(next.release());
  });
});

describe('a checkpoint', () => {
  it('is kept as it was at the call, found by the next holder, and taken away by none', async () => {
    const { world, acquire, other, name } = scene();
    const lease = await acquire();
    expect(lease.checkpoint).toBeUndefined();
    const page = { number: 9, seen: ['a'] };
    const saved = lease.save(page);
    page.number = 10;
    page.seen.push('b');
    await world.until(saved);
    expect(lease.checkpoint).toEqual({ number: 9, seen: ['a'] });
    await world.until(lease.release());
    const next = await world.until(other().acquire(name));
    expect(next.checkpoint).toEqual({ number: 9, seen: ['a'] });
    await world.until(next.save(undefined));
    expect(next.checkpoint).toBeUndefined();
    await world.until(next.release());
  });

  const moment = new Date(0);
  class Page {
    readonly number = 9;
  }
  it.each<[string, () => unknown, (value: never) => void, unknown]>([
    ['a list', () => [1, [2]], (value: [number, number[]]) => value[1].push(3), [1, [2]]],
    ['a set', () => new Set(['a']), (value: Set<string>) => value.add('b'), new Set(['a'])],
    [
      'a map',
      () => new Map([['a', [1]]]),
      (value: Map<string, number[]>) => value.get('a')!.push(2),
      { a: [1] },
    ],
    ['bytes', () => new Uint8Array([1, 2]), (value: Uint8Array) => value.fill(0), new Uint8Array([1, 2])],
    [
      'a part of bytes',
      () => new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
      (value: Uint8Array) => value.fill(0),
      new Uint8Array([2, 3]),
    ],
    [
      'a buffer of bytes',
      () => new Uint8Array([1, 2]).buffer,
      (value: ArrayBuffer) => new Uint8Array(value).fill(0),
      new Uint8Array([1, 2]),
    ],
    ['a date', () => new Date(moment), (value: Date) => value.setTime(5), moment.toJSON()],
    [
      'an instance of a class',
      () => new Page(),
      (value: { number: number }) => Object.assign(value, { number: 1 }),
      { number: 9 },
    ],
    ['what says itself how it is written', () => ({ at: { toJSON: () => [1] } }), () => {}, { at: [1] }],
    ['nothing', () => null, () => {}, null],
    [
      'what is told a text as JSON tells one',
      () => ({ toJSON: (key: string) => [key.length] }),
      () => {},
      [0],
    ],
    [
      'what is nested as deep as may be',
      () => Array.from({ length: 30 }).reduce<unknown[]>((inner) => [inner], [1]),
      (value: unknown[]) => {
        let inner = value;
        while (Array.isArray(inner[0])) inner = inner[0];
        inner.push(2);
      },
      Array.from({ length: 30 }).reduce<unknown[]>((inner) => [inner], [1]),
    ],
    [
      'something beside nothing',
      () => ({ list: [1], none: null }),
      (value: { list: number[] }) => value.list.push(2),
      { list: [1], none: null },
    ],
    [
      'a number that no number can hold',
      () => ({ list: [NumberValueImpl.from('0.12345678901234567890')] }),
      (value: { list: unknown[] }) => value.list.push(2),
      { list: [expect.anything()] },
    ],
  ])('%s is one, and a change after the call plays no part', async (_, make, change, kept) => {
    const { world, locks, name, acquire } = scene();
    const lease = await acquire();
    const value = make();
    const saved = lease.save(value);
    change(value as never);
    await world.until(saved);
    expect(lease.checkpoint).toEqual(kept);
    const result = make();
    const completed = lease.complete(result);
    change(result as never);
    await world.until(completed);
    expect((await world.until(locks.inspect(name)))!.result).toEqual(kept);
  });

  it('that can’t be stored is refused by name, whatever became of the lease, and nothing is written', async () => {
    const { world, acquire, name } = scene();
    const lease = await acquire();
    const before = world.writes;
    const self: unknown[] = [];
    self.push(self);
    for (const value of [() => {}, self, new Error('oops'), { a: Number.NaN }]) {
      await expect(world.until(lease.save(value))).rejects.toMatchObject({
        ...{ name: 'UsageError', message: expect.stringMatching(/^save: DynamoDB can't store/) },
        lockName: name,
      });
      await expect(world.until(lease.complete(value))).rejects.toMatchObject({
        ...{ name: 'UsageError', message: expect.stringMatching(/^complete: DynamoDB can't store/) },
        lockName: name,
      });
    }
    expect(world.writes).toBe(before);
    await world.until(lease.release());
    await expect(world.until(lease.save(() => {}))).rejects.toMatchObject({
      message: expect.stringMatching(/^save: /),
    });
    await expect(world.until(lease.save(1))).rejects.toMatchObject({
      message: expect.stringMatching(/has been given back$/),
    });
  });
});

describe('a completion', () => {
  const dayMs = 86_400_000;
  it('keeps its result for as long as it says, at least a day, or for good', async () => {
    const { world, locks } = scene();
    const complete = async (name: string, options?: { retainMs: number }) => {
      const lease = await world.until(locks.acquire(name));
      await world.until(lease.complete('done', options));
      return world.items.get(name)!.ttl;
    };
    expect(await complete('for good')).toBeUndefined();
    expect(Number((await complete('a day', { retainMs: dayMs }))!.N)).toEqual(
      about(world.nowMs / 1_000 + 86_400, 5),
    );
    const lease = await world.until(locks.acquire('too short'));
    for (const options of [{ retainMs: dayMs - 1 }, { retainMS: dayMs }, { retainMs: '1' }])
      await expect(world.until(lease.complete('done', options as never))).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringMatching(/^complete: has no option "retainMS"|^retainMs: must be a number/),
      });
    expect(lease.isHeld).toBe(true);
    await world.until(lease.release());
  });
});

describe('a lease that is handed over', () => {
  it('is what another process goes on with: same lock, same checkpoint, its own owner, a higher token', async () => {
    const { world, acquire, pass, number, other, name } = scene();
    using log = new EventLog();
    const lease = await acquire();
    await world.until(lease.save('page 9'));
    const handed = await world.until(lease.handOver());
    expect(handed).toEqual({
      ...{ handOver: 1, name, leaseId: lease.leaseId, token: lease.token, owner: 'holder', leaseMs: 30_000 },
      expiresAt: number('expiresAt'),
    });
    expect(handed.expiresAt - world.nowMs).toEqual(about(30_000, 1_100));
    const writes = world.writes;
    await pass(15_000);
    expect(world.writes).toBe(writes);
    expect(log.of('handed-over', name)).toMatchObject([
      { token: lease.token, leaseId: lease.leaseId, expiresAt: handed.expiresAt },
    ]);
    expect(() => lease.throwIfLost()).toThrow(/has been handed over$/);
    expect(await world.until(lease.release())).toBe('handed-over');
    const next: Lease = await world.until(other().resume(JSON.parse(JSON.stringify(handed))));
    expect(next).toMatchObject({ name, owner: 'other', checkpoint: 'page 9', takenOverFrom: undefined });
    expect(next.token).toBeGreaterThan(lease.token);
    expect(next.leaseId).not.toBe(lease.leaseId);
    await world.until(next.release());
  });

  it.each<[string, AcquireOptions, object, number]>([
    ['as long as it is told', {}, { leaseMs: 100_000 }, 100_000],
    ['no longer than its cap', { maxHoldMs: 50_000 }, { leaseMs: 100_000 }, 50_000],
    ['longer than its caller has left', { endsInMs: () => 10_000 }, {}, 30_000],
    ['no shorter than it was', {}, { leaseMs: 1 }, 30_000],
  ])('lasts %s', async (_, options, given, lasts) => {
    const { world, acquire, number } = scene();
    const lease = await acquire(options);
    const handed = await world.until(lease.handOver(given));
    expect(handed.expiresAt).toBe(number('expiresAt'));
    expect(handed.expiresAt - lease.acquiredAt).toEqual(about(lasts, 2_100));
    // Whoever goes on has a lease of the old length.
    expect(handed.leaseMs).toBe(30_000);
  });

  it('is not written with an end far ahead where the clock was set meanwhile: the time is asked for first', async () => {
    const { world, acquire, pass, number, own } = scene();
    const lease = await acquire();
    await pass(1_000);
    own.clocks.step(20_000);
    const handed = await world.until(lease.handOver());
    expect(handed.expiresAt).toBe(number('expiresAt'));
    expect(handed.expiresAt - world.nowMs).toBeLessThan(31_100);
  });

  it('by an option that can’t be right is told so, whatever became of the lease', async () => {
    const { world, acquire } = scene();
    const lease = await acquire();
    await world.until(lease.release());
    for (const leaseMs of [0, 366 * 86_400_000 + 1, '5'])
      await expect(world.until(lease.handOver({ leaseMs } as never))).rejects.toMatchObject({
        message: expect.stringMatching(/^leaseMs: must be a number from 1 to 31622400000/),
      });
    const writes = world.writtenAt.length;
    await expect(world.until(lease.handOver())).rejects.toThrow(/has been given back$/);
    // Nothing was asked for it, then or later.
    await world.until(world.loop.sleep(60_000));
    expect(world.writtenAt).toHaveLength(writes);
  });

  it('by options that can’t be right is not, and goes on', async () => {
    const { world, acquire, pass } = scene();
    const lease = await acquire();
    for (const options of [{ leaseMs: 0 }, { leaseMs: 366 * 86_400_000 + 1 }, { leaseMS: 1 }])
      await expect(world.until(lease.handOver(options as never))).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringMatching(/^handOver: has no option "leaseMS"|^leaseMs: must be a number/),
      });
    const writes = world.writes;
    await pass(35_000);
    expect(lease.isHeld).toBe(true);
    expect(world.writes).toBeGreaterThan(writes + 2);
    await world.until(lease.release());
  });

  it('to a store that is away is held here on, and renewed', async () => {
    const { world, acquire, pass, faults } = scene();
    const lease = await acquire();
    faults.now = away();
    await expect(world.until(lease.handOver())).rejects.toMatchObject({ name: 'StoreError' });
    faults.now = undefined;
    await pass(35_000);
    expect(lease.isHeld).toBe(true);
    expect(await world.until(lease.handOver())).toMatchObject({ handOver: 1 });
  });

  const right = { handOver: 1, name: 'x', leaseId: 'l', token: 7, owner: 'o', expiresAt: 5, leaseMs: 30_000 };
  it.each<[string, readonly unknown[], RegExp]>([
    ['handOver', [undefined, 2, '1'], /^resume: handOver must be 1: another version wrote this/],
    ['name', [undefined, 7], /^resume: name must be a string/],
    ['leaseId', [undefined, '', 'x'.repeat(65), 'a b', 7], /^resume: leaseId must be 1 to 64 visible/],
    ['token', [undefined, 0, 1.5, '7'], /^resume: token must be a whole number, at least 1/],
    ['owner', [undefined, 7], /^resume: owner must be a string/],
    ['expiresAt', [undefined, 0, 1.5], /^resume: expiresAt must be a whole number of milliseconds/],
    ['leaseMs', [undefined, 0.5, 366 * 86_400_000 + 1, '1'], /^resume: leaseMs must be a number from 1 to/],
  ])('as JSON in which %s is wrong is nobody’s: nothing is sent', async (field, values, message) => {
    const { world, locks } = scene();
    for (const value of values)
      await expect(world.until(locks.resume({ ...right, [field]: value }))).rejects.toMatchObject({
        ...{ name: 'UsageError', message: expect.stringMatching(message) },
      });
    // What came is shown.
    const last = values.at(-1) as string | number;
    const shown = typeof last === 'string' ? `"${last}"` : String(last);
    await expect(world.until(locks.resume({ ...right, [field]: last }))).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`got ${shown}$`)),
    });
    expect(world.writes + world.reads).toBe(0);
  });

  it('as JSON that is right, to its limits, is asked for', async () => {
    for (const edge of [
      { leaseId: 'x'.repeat(64), token: 1, expiresAt: 1 },
      { leaseMs: 366 * 86_400_000, later: 'a field of a later version' },
    ]) {
      const { world, locks } = scene();
      const lost = world.until(locks.resume({ ...right, ...edge }));
      await expect(lost).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken', lockName: 'x' });
    }
  });

  it.each([[undefined], [null], [7], ['text'], [[]]])('as %j is none', async (json) => {
    const { world, locks } = scene();
    await expect(world.until(locks.resume(json))).rejects.toMatchObject({
      message: expect.stringMatching(/^resume: must be the object that handOver answered/),
    });
  });
});

describe('a lease', () => {
  it('shows who has it, and from whom it was taken over', async () => {
    const { world, locks, name, pass } = scene();
    const crashed = world.process('crashed');
    const before = await world.until(world.locks(crashed).acquire(name));
    crashed.crash();
    await pass(40_000);
    const lease = await world.until(locks.acquire(name));
    expect(lease.takenOverFrom).toEqual({ owner: 'crashed', token: before.token, leaseId: before.leaseId });
    const { owner, token, leaseId, acquiredAt } = lease;
    expect(lease.holderInfo).toEqual({
      owner,
      token,
      leaseId,
      acquiredAt,
      remainingMs: about(28_500, 1_600),
    });
    expect(owner).toBe('holder');
    await world.until(lease.release());
    expect(lease.takenOverFrom).toBeDefined();
    const next = await world.until(locks.acquire(name));
    expect(next.takenOverFrom).toBeUndefined();
    await world.until(next.release());
  });

  it('shows that it was taken over also where nobody knows from whom', async () => {
    const { world, acquire, name } = scene();
    const past = { N: String(Math.floor(world.nowMs) - 60_000) };
    const theirs = {
      format: { S: 'leasehold/1' },
      version: { N: '7' },
      leaseId: { S: 'l' },
      expiresAt: past,
    };
    world.items.set(name, { name: { S: name }, ...theirs });
    const lease = await acquire();
    expect(lease.takenOverFrom).toEqual({ owner: 'unknown', token: 7, leaseId: 'l' });
    await world.until(lease.release());
  });

  it('that was ended here says so to work that goes on, and its signal, too', async () => {
    const { world, acquire } = scene();
    const lease = await acquire();
    const { signal } = lease;
    expect(signal.aborted).toBe(false);
    await world.until(lease.release());
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/has been given back$/),
    });
    expect(lease.signal.aborted).toBe(true);
    expect([lease.isHeld, lease.loss, lease.remainingMs]).toEqual([false, undefined, 0]);
    expect(() => lease.throwIfLost()).toThrow(/has been given back$/);
    await expect(world.until(lease.renew())).rejects.toThrow(/has been given back$/);
  });
});
