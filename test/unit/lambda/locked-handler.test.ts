import { describe, expect, it } from 'vitest';
import type { LockClientOptions } from '../../../lib/client/index.js';
import type { HandedOver } from '../../../lib/index.js';
import {
  type LockedHandlerOptions,
  locksOnce,
  withLockedHandler,
} from '../../../lib/lambda/with-locked-handler.js';
import type { Runtime } from '../../../lib/runtime/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { EventLog } from '../../support/event-log.js';

usePlainAbort();

interface Event {
  readonly lock: string | HandedOver;
}
type Invocation = { readonly getRemainingTimeInMillis: () => number; readonly id?: string };
type Options = LockedHandlerOptions<Event, Invocation, unknown, unknown>;

/** Handlers of one function, whose invocations end when they are told to, over a table in memory. */
function scene(client: Partial<LockClientOptions> = {}) {
  const world = new VirtualWorld(1);
  const process = world.process('function');
  const timers = new Set<object>();
  const counted =
    (set: Runtime['setTimer']): Runtime['setTimer'] =>
    (wake, delayMs) => {
      const timer = {};
      timers.add(timer);
      const cancel = set(() => {
        timers.delete(timer);
        wake();
      }, delayMs);
      return () => {
        timers.delete(timer);
        cancel();
      };
    };
  const { runtime } = process;
  const { setTimer, setAwaitedTimer } = runtime;
  const locks = world.locks(process, {
    runtime: { ...runtime, setTimer: counted(setTimer), setAwaitedTimer: counted(setAwaitedTimer) },
    ...client,
  });
  const others = world.locks(world.process('others'));
  const wrapped = <Result>(
    work: Parameters<typeof withLockedHandler<Event, Invocation, Result>>[1],
    options: Options = {},
  ) =>
    withLockedHandler<Event, Invocation, unknown, unknown, unknown>(({ lock }) => lock, work, {
      locks,
      ...options,
    });
  /** An invocation that ends so many milliseconds from now. */
  const endingIn = (ms: number): Invocation => {
    const end = world.nowMs + ms;
    return { id: 'invocation', getRemainingTimeInMillis: () => end - world.nowMs };
  };
  const failed = (work: Promise<unknown>) =>
    world.until(
      work.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  /** Time of the world. */
  const pass = (ms: number) => new Promise<void>((resolve) => world.loop.after(ms, resolve));
  const isFree = async (name: string) => (await world.until(others.inspect(name)))?.state === 'free';
  return { world, process, timers, locks, others, wrapped, endingIn, failed, pass, isFree };
}

const minute = 60_000;

describe('a handler under a lock', () => {
  it('has the event, the context and the lease; its answer comes out when the lock is free', async () => {
    const { world, wrapped, endingIn, isFree } = scene();
    const context = endingIn(minute);
    const seen: unknown[] = [];
    const handler = wrapped(async (event, given, lease) => {
      seen.push(event, given);
      return lease.token;
    });
    const event = { lock: 'x' };
    expect(await world.until(handler(event, context))).toBeGreaterThan(0);
    expect(seen).toEqual([event, context]);
    expect(seen[1]).toBe(context);
    expect(await isFree('x')).toBe(true);
  });

  it('throws its own error, unchanged, when the lock is free', async () => {
    const { wrapped, endingIn, failed, isFree } = scene();
    const own = new RangeError('my own');
    const handler = wrapped(async () => {
      throw own;
    });
    expect(await failed(handler({ lock: 'x' }, endingIn(minute)))).toBe(own);
    expect(await isFree('x')).toBe(true);
  });

  it('costs two writes, and leaves no timer behind, whatever becomes of it', async () => {
    const { world, timers, wrapped, endingIn, failed, others } = scene();
    await failed(wrapped(async () => 'done')({ lock: 'x' }, endingIn(minute)));
    expect(world.writes).toBe(2);
    expect(timers.size).toBe(0);
    await failed(wrapped(() => Promise.reject(new Error('my own')))({ lock: 'x' }, endingIn(minute)));
    expect(timers.size).toBe(0);
    await failed(wrapped(() => new Promise<never>(() => {}))({ lock: 'x' }, endingIn(5_000)));
    expect(timers.size).toBe(0);
    await world.until(others.acquire('x'));
    await failed(wrapped(async () => 'never', { waitMs: 2_000 })({ lock: 'x' }, endingIn(minute)));
    expect(timers.size).toBe(0);
  });

  it('holds for the options it was wrapped with, by the owner that the invocation names', async () => {
    const { world, wrapped, endingIn, others } = scene();
    const inspected = async (options: Options) =>
      world.until(wrapped(() => others.inspect('x'), options)({ lock: 'x' }, endingIn(15 * minute)));
    expect(
      await inspected({ leaseMs: 20_000, group: 'g', ownerOf: (event, { id }) => `${event.lock} by ${id}` }),
    ).toMatchObject({
      group: 'g',
      owner: 'x by invocation',
    });
    expect(await inspected({})).toMatchObject({ owner: 'function' });
  });

  it('C35 lets the lease end a margin before the invocation, a second unless told', async () => {
    const { world, wrapped, endingIn, others } = scene();
    const remaining = async (options: Options) => {
      const handler = wrapped(() => others.inspect('x'), { leaseMs: minute, ...options });
      const shown = (await world.until(handler({ lock: 'x' }, endingIn(10_000)))) as { remainingMs: number };
      return shown.remainingMs;
    };
    const [usual, wide] = [await remaining({}), await remaining({ marginMs: 4_000 })];
    // What is asked for is sent some milliseconds later, and store time is known within a second and a half.
    expect(Math.abs(usual - 9_000)).toBeLessThan(1_600);
    expect(Math.abs(wide - 6_000)).toBeLessThan(1_600);
  });

  it.each([
    ['as much as is needed', 1_200, true],
    ['a millisecond less', 1_199, false],
    ['no time at all', 0, false],
  ])('C35 tries for the lock with %s left for the work: %i ms', async (_, ms, tries) => {
    const { world, wrapped, endingIn, failed } = scene();
    let ran = false;
    const handler = wrapped(
      async () => {
        ran = true;
      },
      { marginMs: 500, minWorkMs: 700 },
    );
    const error = await failed(handler({ lock: 'x' }, endingIn(ms)));
    expect(ran).toBe(tries);
    if (tries) return;
    expect(error).toMatchObject({ name: 'UsageError', lockName: 'x' });
    expect((error as Error).message).toContain(`has ${ms} ms left; marginMs 500 + minWorkMs 700 need 1200`);
    expect(world.writes + world.reads).toBe(0);
  });

  it('C35 needs a second for the work, and one for the margin, unless told', async () => {
    const { wrapped, endingIn, failed } = scene();
    const handler = wrapped(async () => 'done');
    expect(await failed(handler({ lock: 'x' }, endingIn(2_000)))).toBeUndefined();
    expect(await failed(handler({ lock: 'x' }, endingIn(1_999)))).toMatchObject({ name: 'UsageError' });
  });

  it.each(['', 7, undefined, null, Promise.resolve('x'), { name: 'x' }])(
    'refuses the name %s',
    async (lock) => {
      const { world, wrapped, endingIn, failed } = scene();
      const handler = wrapped(async () => 'never');
      const error = await failed(handler({ lock } as never, endingIn(minute)));
      expect(error).toMatchObject({ name: 'UsageError' });
      expect(world.writes).toBe(0);
    },
  );

  it('that answers by a callback is refused, and holds nothing', async () => {
    const { wrapped, endingIn, failed, isFree } = scene();
    for (const work of [() => undefined, () => null, () => 7, () => ({})]) {
      expect(await failed(wrapped(work as never)({ lock: 'x' }, endingIn(minute)))).toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('must be async'),
        lockName: 'x',
      });
      expect(await isFree('x')).toBe(true);
    }
  });

  it.each([undefined, null, {}, { getRemainingTimeInMillis: 1 }])(
    'has nothing to end by in the context %j: a UsageError',
    async (context) => {
      const { wrapped, failed } = scene();
      const handler = wrapped(async () => 'never');
      expect(await failed(handler({ lock: 'x' }, context as never))).toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('getRemainingTimeInMillis'),
      });
    },
  );
});

describe('when somebody else holds the lock', () => {
  it('a LockHeldError is thrown, also when that was chosen', async () => {
    const { world, wrapped, endingIn, failed, others } = scene();
    await world.until(others.acquire('x'));
    for (const options of [{}, { whenHeld: 'fail', whenCompleted: () => 'no' }] as Options[]) {
      const handler = wrapped(async () => 'never', options);
      expect(await failed(handler({ lock: 'x' }, endingIn(minute)))).toMatchObject({ name: 'LockHeldError' });
    }
  });

  it('what was chosen is answered: from the error, the event and the context', async () => {
    const { world, wrapped, endingIn, others } = scene();
    await world.until(others.acquire('x'));
    const handler = wrapped(async () => 'never', { whenHeld: (...given) => given });
    const [event, context] = [{ lock: 'x' }, endingIn(minute)];
    const [error, ...given] = (await world.until(handler(event, context))) as unknown[];
    expect(error).toMatchObject({ name: 'LockHeldError', holder: { owner: 'others' } });
    expect(given[0]).toBe(event);
    expect(given[1]).toBe(context);
  });

  it('the choice is not for what the handler throws', async () => {
    const { world, wrapped, endingIn, failed, others } = scene();
    await world.until(others.acquire('y'));
    const handler = wrapped(() => others.withLock('y', () => 'never'), { whenHeld: () => 'not this' });
    expect(await failed(handler({ lock: 'x' }, endingIn(minute)))).toMatchObject({
      name: 'LockHeldError',
      lockName: 'y',
    });
  });

  it('waits for as long as told', async () => {
    const { world, wrapped, endingIn, failed, others, pass } = scene();
    const held = await world.until(others.acquire('x'));
    void pass(5_000).then(() => held.release());
    const waits = wrapped(async () => 'done', { waitMs: 30_000 });
    expect(await world.until(waits({ lock: 'x' }, endingIn(minute)))).toBe('done');
    await world.until(others.acquire('y'));
    const before = world.nowMs;
    const gives = wrapped(async () => 'never', { waitMs: 3_000 });
    expect(await failed(gives({ lock: 'y' }, endingIn(minute)))).toMatchObject({ name: 'LockHeldError' });
    expect(Math.abs(world.nowMs - before - 3_000)).toBeLessThan(1_000);
  });

  it('C35 never waits into the time that the work and the margin need', async () => {
    const { world, wrapped, endingIn, failed, others } = scene();
    await world.until(others.acquire('x', { leaseMs: 10 * minute }));
    const handler = wrapped(async () => 'never', { waitMs: minute, marginMs: 2_000, minWorkMs: 5_000 });
    const before = world.nowMs;
    expect(await failed(handler({ lock: 'x' }, endingIn(20_000)))).toMatchObject({ name: 'LockHeldError' });
    expect(world.nowMs - before).toBeLessThan(13_500);
    expect(world.nowMs - before).toBeGreaterThan(11_000);
  });
});

describe('when the work under the name is finished for good', () => {
  const finished = async () => {
    const all = scene();
    const lease = await all.world.until(all.others.acquire('x'));
    await all.world.until(lease.complete('sum'));
    return all;
  };

  it('an AlreadyCompletedError is thrown, also when that was chosen', async () => {
    const { wrapped, endingIn, failed } = await finished();
    for (const options of [{}, { whenCompleted: 'fail', whenHeld: () => 'no' }] as Options[]) {
      const handler = wrapped(async () => 'never', options);
      expect(await failed(handler({ lock: 'x' }, endingIn(minute)))).toMatchObject({
        name: 'AlreadyCompletedError',
      });
    }
  });

  it('what was chosen is answered: from the error, the event and the context', async () => {
    const { world, wrapped, endingIn } = await finished();
    const handler = wrapped(async () => 'never', { whenCompleted: (...given) => given });
    const [event, context] = [{ lock: 'x' }, endingIn(minute)];
    const [error, ...given] = (await world.until(handler(event, context))) as unknown[];
    expect(error).toMatchObject({ name: 'AlreadyCompletedError', result: 'sum' });
    expect(given[0]).toBe(event);
    expect(given[1]).toBe(context);
  });
});

describe('a lease that an earlier invocation has handed over', () => {
  it('is gone on with, whatever was chosen for taking a lock', async () => {
    const { world, wrapped, endingIn, locks, others } = scene();
    const lock = await world.until(locks.acquire('x').then((lease) => lease.handOver()));
    const handler = wrapped(
      async (_event, _context, lease) => [lease.token, (await others.inspect('x'))?.owner],
      {
        group: 'g',
        supersede: true,
        lockDelayMs: 1_000,
        waitMs: 5_000,
        leaseMs: 20_000,
        ownerOf: () => 'second',
      },
    );
    const [token, owner] = (await world.until(handler({ lock }, endingIn(minute)))) as [number, string];
    expect(token).toBeGreaterThan(lock.token);
    expect(owner).toBe('second');
  });

  it('C35 ends a margin before this invocation, too', async () => {
    const { world, wrapped, endingIn, locks, others } = scene();
    const lock = await world.until(locks.acquire('x', { leaseMs: minute }).then((lease) => lease.handOver()));
    const handler = wrapped(async (_event, _context, lease) => [
      lease.remainingMs,
      await others.inspect('x'),
    ]);
    const [remainingMs, shown] = (await world.until(handler({ lock }, endingIn(10_000)))) as [
      number,
      { readonly remainingMs: number },
    ];
    expect(remainingMs).toBeLessThanOrEqual(9_000);
    expect(shown.remainingMs).toBeLessThan(9_000 + 1_600);
  });

  it('is named where there is not enough time for it', async () => {
    const { world, wrapped, endingIn, failed, locks } = scene();
    const lock = await world.until(locks.acquire('x').then((lease) => lease.handOver()));
    expect(await failed(wrapped(async () => 'never')({ lock }, endingIn(500)))).toMatchObject({
      name: 'UsageError',
      lockName: 'x',
    });
  });
});

describe('what a handler is wrapped with', () => {
  const wrap = (options: object, readName: unknown = () => 'x', handler: unknown = async () => {}) =>
    withLockedHandler(readName as never, handler as never, options);
  const refused = (option: string) =>
    expect.objectContaining({ name: 'UsageError', message: expect.stringMatching(`^${option}: `) });

  it.each([
    ['marginMs', 0.5],
    ['marginMs', '1000'],
    ['minWorkMs', 0],
    ['minWorkMs', Number.NaN],
    ['waitMs', -1],
    ['whenHeld', 'wait'],
    ['whenHeld', 1],
    ['whenCompleted', {}],
  ])('%s: %j is refused at once', (option, value) => {
    expect(() => wrap({ [option]: value })).toThrow(refused(option));
  });

  it.each([
    {},
    { marginMs: 1, minWorkMs: 1, waitMs: 0 },
    { whenHeld: 'fail', whenCompleted: () => 1 },
    { whenHeld: undefined, marginMs: undefined },
  ])('%j is taken', (options) => {
    expect(wrap(options)).toBeTypeOf('function');
  });

  it('must be functions, which do not stream', () => {
    expect(() => wrap({}, 'x')).toThrow(refused('readName'));
    expect(() => wrap({}, undefined, 'work')).toThrow(refused('handler'));
    const streaming = Object.assign(async () => {}, {
      [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response',
    });
    expect(() => wrap({}, undefined, streaming)).toThrow(refused('handler'));
  });
});

describe('the end of an invocation', () => {
  it('C35 a store that is not heard of: a StoreError in time, and what was asked for may have been done', async () => {
    const silent = { send: () => new Promise<never>(() => {}) };
    const { world, timers, wrapped, endingIn, failed } = scene({ client: silent });
    const before = world.nowMs;
    const error = await failed(wrapped(async () => 'never')({ lock: 'x' }, endingIn(3_000)));
    expect(world.nowMs - before).toBe(2_000);
    expect(timers.size).toBe(0);
    expect(error).toMatchObject({
      name: 'StoreError',
      lockName: 'x',
      retryable: true,
      mayHaveApplied: true,
      cause: { name: 'TimeoutError' },
    });
  });

  it('C32 work that outlives its lease is a LockLostError a margin before the end', async () => {
    const { world, wrapped, endingIn, failed, isFree } = scene();
    const handler = wrapped(() => new Promise<never>(() => {}), { marginMs: 3_000 });
    const before = world.nowMs;
    expect(await failed(handler({ lock: 'x' }, endingIn(10_000)))).toMatchObject({
      name: 'LockLostError',
      reason: 'max-hold',
    });
    expect(world.nowMs - before).toBeGreaterThanOrEqual(7_000);
    expect(world.nowMs - before).toBeLessThan(7_100);
    expect(await isFree('x')).toBe(true);
  });

  it('work whose invocation got more time is waited for', async () => {
    const { world, wrapped, pass } = scene();
    let end = world.nowMs + 10_000;
    const context = { getRemainingTimeInMillis: () => end - world.nowMs };
    const handler = wrapped(async (_event, _context, lease) => {
      end += 10_000;
      await lease.release();
      await pass(12_000);
      return 'done';
    });
    expect(await world.until(handler({ lock: 'x' }, context))).toBe('done');
  });

  it('work that has given its lease back has all the time that it needs', async () => {
    const { world, wrapped, endingIn, pass } = scene();
    const handler = wrapped(async (_event, _context, lease) => {
      await lease.release();
      await pass(9_500);
      return 'late, but nobody waits';
    });
    expect(await world.until(handler({ lock: 'x' }, endingIn(10_000)))).toBe('late, but nobody waits');
  });

  it('C36 a release that the store refuses for a moment is repeated before the answer', async () => {
    const { world, wrapped, endingIn, isFree } = scene({ maxAttempts: 1 });
    let left = 0;
    world.throttles = (process, operation) =>
      process === 'function' && operation === 'UpdateItemCommand' && left-- > 0;
    const handler = wrapped(async () => {
      left = 3;
      return 'done';
    });
    const before = world.nowMs;
    expect(await world.until(handler({ lock: 'x' }, endingIn(minute)))).toBe('done');
    expect(await isFree('x')).toBe(true);
    // The pauses in between begin with 50 ms.
    expect(world.nowMs - before).toBeLessThan(1_000);
  });

  it('C28 a release that the store refuses for good is tried once more, told, and not waited for', async () => {
    using events = new EventLog();
    const { world, process, wrapped, endingIn } = scene();
    const plain = world.client(process);
    let refused = 0;
    let isRefusing = false;
    const send: typeof plain.send = (command, options) => {
      if (!isRefusing || command.constructor.name !== 'UpdateItemCommand')
        return plain.send(command, options);
      refused += 1;
      return Promise.reject(Object.assign(new Error('no such key'), { name: 'ValidationException' }));
    };
    const locks = world.locks(process, { client: { send } as never });
    const handler = wrapped(
      async () => {
        isRefusing = true;
        return 'done';
      },
      { locks },
    );
    const before = world.nowMs;
    expect(await world.until(handler({ lock: 'given/back' }, endingIn(minute)))).toBe('done');
    expect(world.nowMs - before).toBeLessThan(1_000);
    expect(refused).toBe(2);
    expect(events.of('release-failed', 'given/back')).toHaveLength(1);
  });

  it('C28 a release that never works is given up a quarter of the margin before the end', async () => {
    const { world, wrapped, endingIn } = scene({ maxAttempts: 1 });
    let throttled = 0;
    let isThrottling = false;
    world.throttles = (process, operation) => {
      if (!isThrottling || process !== 'function' || operation !== 'UpdateItemCommand') return false;
      throttled += 1;
      return true;
    };
    const handler = wrapped(
      async () => {
        isThrottling = true;
        return 'done';
      },
      { marginMs: 4_000 },
    );
    const before = world.nowMs;
    expect(await world.until(handler({ lock: 'x' }, endingIn(20_000)))).toBe('done');
    expect(world.nowMs - before).toBeGreaterThan(18_000);
    expect(world.nowMs - before).toBeLessThanOrEqual(19_010);
    // At most a second apart.
    expect(throttled).toBeGreaterThan(15);
  });

  it('C28 a release that is not answered is given up, and told, before the handler’s answer', async () => {
    using events = new EventLog();
    const { world, process, wrapped, endingIn } = scene();
    const plain = world.client(process);
    let isHanging = false;
    const send: typeof plain.send = (command, options) =>
      isHanging && command.constructor.name === 'UpdateItemCommand'
        ? new Promise(() => {})
        : plain.send(command, options);
    const locks = world.locks(process, { client: { send } as never });
    const handler = wrapped(
      async () => {
        isHanging = true;
        return 'done';
      },
      { locks, marginMs: 1_000 },
    );
    expect(await world.until(handler({ lock: 'never/back' }, endingIn(2_500)))).toBe('done');
    expect(events.of('release-failed', 'never/back')).toHaveLength(1);
  });
});

describe('the client of a function', () => {
  it('is the one that was given, whatever class it is of', () => {
    const { locks } = scene();
    expect(locksOnce(locks, {})()).toBe(locks);
  });

  it('is made once, of the options that were given, or else of the environment', async () => {
    for (const [options, env] of [
      [{ table: 'mine' }, { LEASEHOLD_TABLE: 'other' }],
      [undefined, { LEASEHOLD_TABLE: ' mine ' }],
    ] as const) {
      const locksOf = locksOnce(options, env);
      await using locks = locksOf();
      expect(locksOf()).toBe(locks);
      expect(locks.context.table.tableName).toBe('mine');
    }
  });

  it.each([{}, { LEASEHOLD_TABLE: ' ' }, { LEASEHOLD_TABLE: '', LEASEHOLD_SERVICE: '' }])(
    'can’t be made of %j',
    (env) => {
      expect(locksOnce(undefined, env)).toThrow(
        expect.objectContaining({
          name: 'UsageError',
          message: expect.stringMatching(/LEASEHOLD_TABLE nor LEASEHOLD_SERVICE/),
        }),
      );
    },
  );

  it('has a table or a service, not both; an owner key is for a service', () => {
    const both = { LEASEHOLD_TABLE: 't', LEASEHOLD_SERVICE: 's' };
    expect(locksOnce(undefined, both)).toThrow(/^service: must be left out where a table is given/);
    const short = { LEASEHOLD_SERVICE: 's', LEASEHOLD_OWNER_KEY: 'short' };
    expect(locksOnce(undefined, short)).toThrow(/^ownerKey: /);
  });
});
