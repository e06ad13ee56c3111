import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Context, Handler } from 'aws-lambda';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type LockedHandlerOptions, withLockedHandler } from '../../../lib/lambda/with-locked-handler.js';

import { runNode } from '../../support/child.js';
import { EventLog } from '../../support/event-log.js';
import type { Actor } from '../../support/stage.js';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

interface Event {
  readonly name: string;
}

/** A context whose invocation ends so many milliseconds from now. */
function endingIn(ms: number) {
  const end = performance.now() + ms;
  return { getRemainingTimeInMillis: () => end - performance.now() };
}

const readName = (event: Event) => event.name;

/** Requests that never time out by themselves. */
const slowRequests = { requestTimeoutMs: 30_000, leaseMs: 120_000, renewEveryMs: 40_000 };

describe('withLockedHandler', () => {
  const stage = useStage();

  const wrapped = async <Result>(
    handler: Parameters<typeof withLockedHandler<Event, ReturnType<typeof endingIn>, Result>>[1],
    options: LockedHandlerOptions<Event, ReturnType<typeof endingIn>> = {},
    actor?: Actor,
  ) => {
    const { locks } = actor ?? (await stage.it.readyActor());
    return withLockedHandler(readName, handler, { locks, ...options });
  };
  const holder = async (name: string) => (await stage.it.item(name))?.leaseId;

  it('is a handler of two arguments, which Lambda takes for one without a callback', async () => {
    const handler = withLockedHandler(readName, async (_event, _context: Context, lease) => lease.token, {
      whenHeld: () => 'held' as const,
    });
    expect(handler).toHaveLength(2);
    expectTypeOf(handler).toExtend<Handler<Event, number | 'held'>>();
    expectTypeOf(handler).returns.resolves.toEqualTypeOf<number | 'held'>();
  });

  it('costs two writes, and leaves no timer and no listener behind', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const handler = await wrapped(async (_event, _context, lease) => lease.token, {}, actor);
    expect(await handler({ name }, endingIn(60_000))).toBeGreaterThan(0);
    expect(actor.meter.writes).toBe(2);
    expect(actor.meter.total).toBe(2);
    expect(actor.clocks.liveTimers).toBe(0);
  });

  it('C35 the lease in the table is no longer than the time that is left', async () => {
    const name = stage.name();
    const handler = await wrapped(async () => stage.it.item(name), { leaseMs: 60_000 });
    expect((await handler({ name }, endingIn(5_000)))?.leaseMs).toBeLessThanOrEqual(4_000);
    const long = await handler({ name }, endingIn(900_000));
    expect(long?.leaseMs).toBe(60_000);
  });

  it('C35 with too little time left for the work it does not try for the lock, and says what is missing', async () => {
    const actor = await stage.it.readyActor();
    const handler = await wrapped(async () => 'never', { marginMs: 500, minWorkMs: 700 }, actor);
    for (const ms of [1_150, 0, Number.NaN]) {
      await expect(handler({ name: stage.name() }, endingIn(ms))).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('marginMs 500 + minWorkMs 700 need 1200'),
      });
    }
    expect(actor.meter.total).toBe(0);
  });

  it('C35 a store that does not answer: a StoreError in time, and nothing is held later on', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor(slowRequests);
    actor.faults.on('UpdateItem').once().hang({ sent: true });
    const handler = await wrapped(async () => 'never', {}, actor);
    await expect(handler({ name }, endingIn(2_500))).rejects.toMatchObject({
      name: 'StoreError',
      mayHaveApplied: true,
    });
    await until('given back', async () => (await holder(name)) === undefined);
  });

  it('C28 a release that does not come back: the result is answered before the time is up', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor(slowRequests);
    const handler = await wrapped(
      async () => {
        actor.faults.on('UpdateItem').once().hang();
        return 'done';
      },
      {},
      actor,
    );
    expect(await handler({ name }, endingIn(3_000))).toBe('done');
    // Given up, not left under way over the freeze that follows.
    await until('no timer is left', () => actor.clocks.liveTimers === 0);
  });

  it('C36 a release that the store refuses for a moment is repeated before the answer: nothing is held over a freeze', async () => {
    using events = new EventLog();
    const name = stage.name();
    const actor = await stage.it.readyActor({ maxAttempts: 1 });
    const handler = await wrapped(
      async () => {
        actor.faults.on('UpdateItem').times(3).serverError();
        return 'done';
      },
      {},
      actor,
    );
    expect(await handler({ name }, endingIn(60_000))).toBe('done');
    expect(await holder(name)).toBeUndefined();
    expect(events.of('release-failed', name)).toEqual([]);
  });

  it('C26 a loss while the work goes on: work that ends well is a LockLostError with its result', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const handler = await wrapped(async (_event, _context, lease) => {
      await locks.break(name, lease.leaseId);
      return 42;
    });
    await expect(handler({ name }, endingIn(60_000))).rejects.toMatchObject({
      name: 'LockLostError',
      reason: 'broken',
      result: 42,
    });
  });

  it('C32 work that outlives its lease, and then fails, crashes nothing', async () => {
    using events = new EventLog();
    const name = stage.name();
    let failLate = () => {};
    const handler = await wrapped(
      () =>
        new Promise<never>((_, reject) => {
          failLate = () => reject(new Error('far too late'));
        }),
    );
    await expect(handler({ name }, endingIn(2_300))).rejects.toMatchObject({
      name: 'LockLostError',
      reason: 'max-hold',
    });
    expect(events.of('lost', name)).toHaveLength(1);
    expect(await holder(name)).toBeUndefined();
    failLate();
    await sleep(10);
  });

  it('work that gave its lease back itself has all the time that it needs', async () => {
    const name = stage.name();
    const handler = await wrapped(
      async (_event, _context, lease) => {
        await lease.release();
        await sleep(1_200);
        return 'late, but nobody waits';
      },
      { minWorkMs: 500 },
    );
    expect(await handler({ name }, endingIn(1_800))).toBe('late, but nobody waits');
  });

  it('the choices are for its own acquire, not for what the handler throws', async () => {
    const [name, other] = [stage.name(), stage.name()];
    const { locks } = await stage.it.readyActor();
    await using held = await locks.acquire(other);
    const handler = await wrapped(() => locks.withLock(other, () => 'never'), {
      locks,
      whenHeld: (() => 'not this') as never,
    });
    await expect(handler({ name }, endingIn(60_000))).rejects.toMatchObject({
      name: 'LockHeldError',
      lockName: held.name,
    });
  });

  it('refuses what it can’t wait for: callbacks, streams, contexts of other kinds', async () => {
    const name = stage.name();
    const calling = await wrapped((() => undefined) as never);
    await expect(calling({ name }, endingIn(60_000))).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('must be async'),
    });
    expect(await holder(name)).toBeUndefined();
    const streaming = Object.assign(async () => 'never', {
      [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response',
    });
    await expect(wrapped(streaming)).rejects.toMatchObject({ name: 'UsageError' });
    const handler = await wrapped(async () => 'never');
    for (const context of [undefined, {}, { write: () => {} }] as never[]) {
      await expect(handler({ name }, context)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('getRemainingTimeInMillis'),
      });
    }
  });

  it.each([
    ['marginMs', 0],
    ['minWorkMs', -1],
    ['waitMs', Number.NaN],
    ['whenHeld', 'wait'],
    ['whenCompleted', 1],
  ])('%s: %s is refused when the handler is wrapped', (option, value) => {
    const wrap = () => withLockedHandler(readName, async () => 'never', { [option]: value });
    expect(wrap).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: expect.stringContaining(`${option}:`),
      }),
    );
  });

  it('a bad name, and a client that can’t be made, are UsageErrors of the invocation', async () => {
    const handler = await wrapped(async () => 'never');
    for (const name of ['', 7, undefined, Promise.resolve('x')] as never[]) {
      await expect(handler({ name }, endingIn(60_000))).rejects.toMatchObject({ name: 'UsageError' });
    }
    const without = withLockedHandler(readName, async () => 'never');
    await expect(without({ name: 'x' }, endingIn(60_000))).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('LEASEHOLD_TABLE'),
    });
  });

  it('C33 a process that has nothing else to do exits', async () => {
    const script = fileURLToPath(new URL('../../support/lambda/invoke-once.ts', import.meta.url));
    const { endpoint } = stage.it.dynamo;
    const { ended } = runNode(script, [stage.it.table, endpoint, stage.name()]);
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^token \d+\n$/) });
  });
});
