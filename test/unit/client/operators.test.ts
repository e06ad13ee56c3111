import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import type { LockInfo } from '../../../lib/client/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

/** A table, and an operator who looks at it. */
function scene(options: object = {}) {
  const world = new VirtualWorld(1);
  const [operator, holder] = [
    world.locks(world.process('operator'), options),
    world.locks(world.process('holder')),
  ];
  const put = (name: string, item: Readonly<Record<string, number | string>>) => {
    const values = Object.entries({ format: leaseFormat, version: 7, ...item }).map(([key, value]) => [
      key,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]);
    world.items.set(name, { name: { S: name }, ...Object.fromEntries(values) });
  };
  const inspect = (name: string) => world.until(operator.inspect(name));
  return { world, operator, holder, put, inspect };
}

async function* taken<T>(from: AsyncIterable<T>, most: number): AsyncIterable<T> {
  let left = most;
  for await (const one of from) {
    yield one;
    if (--left === 0) return;
  }
}

async function allOf(list: AsyncIterable<LockInfo>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of list) names.push(name);
  return names.sort();
}

describe('what an operator is shown of a lock', () => {
  it('that nobody had: nothing', async () => {
    expect(await scene().inspect('x')).toBeUndefined();
  });

  it('all that is in its item', async () => {
    const { world, put, inspect } = scene();
    const now = world.nowMs;
    put('x', {
      ...{ owner: 'somebody', leaseId: 'l', acquiredAt: now - 5, expiresAt: now + 60_000, renewals: 3 },
      ...{ group: 'nightly', checkpoint: 'page 9', releaseRequested: 'deploy' },
    });
    const info = await inspect('x');
    expect(info).toEqual({
      ...{ name: 'x', state: 'held', token: 7, group: 'nightly', owner: 'somebody', leaseId: 'l' },
      ...{ acquiredAt: now - 5, expiresAt: now + 60_000, renewals: 3, checkpoint: 'page 9' },
      ...{ releaseRequested: 'deploy', freeFrom: undefined, completedAt: undefined, result: undefined },
      remainingMs: expect.any(Number),
    });
    // By the latest that it can be: a second of the `Date`, and the way.
    expect(info!.remainingMs).toBeLessThanOrEqual(60_000);
    expect(info!.remainingMs).toBeGreaterThan(58_000);
  });

  it.each<[string, (now: number) => Readonly<Record<string, number | string>>, object]>([
    [
      'was given back',
      () => ({ lastLeaseId: 'l', releaseRequested: 'old' }),
      { state: 'free', releaseRequested: undefined },
    ],
    [
      'is done',
      () => ({ completedAt: 5, result: 'all' }),
      { state: 'completed', completedAt: 5, result: 'all', remainingMs: 0 },
    ],
    [
      'is done, under a lease that runs',
      (now) => ({ completedAt: 5, leaseId: 'l', expiresAt: now + 9_000 }),
      { state: 'completed', leaseId: 'l' },
    ],
    [
      'ran out, by every clock',
      (now) => ({ leaseId: 'l', expiresAt: now - 9_000 }),
      { state: 'expired', leaseId: 'l', remainingMs: 0 },
    ],
    [
      'ran out a moment ago: nobody may take it yet',
      (now) => ({ leaseId: 'l', expiresAt: now - 100 }),
      { state: 'held', leaseId: 'l', remainingMs: 0 },
    ],
    [
      'is free, but not yet',
      (now) => ({ lastLeaseId: 'l', freeFrom: now + 9_000 }),
      { state: 'free', leaseId: 'l', freeFrom: expect.any(Number), remainingMs: expect.any(Number) },
    ],
    [
      'is free again, long after that',
      (now) => ({ lastLeaseId: 'l', freeFrom: now - 9_000 }),
      { state: 'free', leaseId: undefined, freeFrom: undefined, remainingMs: 0 },
    ],
    [
      'is held by one whose lease is not shown',
      (now) => ({ leaseId: '', expiresAt: now + 9_000 }),
      { leaseId: undefined },
    ],
  ])('that %s', async (_, item, shown) => {
    const { world, put, inspect } = scene();
    put('x', item(world.nowMs));
    expect(await inspect('x')).toMatchObject(shown);
  });

  it('that is free, but not yet: how long it is until then', async () => {
    const { world, put, inspect } = scene();
    put('x', { lastLeaseId: 'l', freeFrom: world.nowMs + 9_000 });
    const { remainingMs } = (await inspect('x'))!;
    expect(remainingMs).toBeGreaterThan(7_000);
    expect(remainingMs).toBeLessThanOrEqual(9_000);
  });

  it('is told of a list, of a group, or of all; what others wrote is passed over', async () => {
    const { world, operator, put } = scene();
    put('a', { group: 'nightly' });
    put('b', { group: 'other' });
    put('c', {});
    put('theirs', { format: 'another', group: 'nightly' });
    await world.until(world.loop.sleep(1_000));
    expect(await world.until(allOf(operator.list()))).toEqual(['a', 'b', 'c']);
    const lease = await world.until(operator.acquire('d', { group: 'nightly' }));
    await world.until(world.loop.sleep(1_000));
    expect(await world.until(allOf(operator.list({ group: 'nightly' })))).toContain('d');
    expect(await world.until(allOf(operator.list({ group: 'none' })))).toEqual([]);
    expect(await world.until(allOf(taken(operator.list(), 2)))).toHaveLength(2);
    await world.until(lease.release());
  });

  it('of a group is refused for a name that can be none, and with a signal of its own it ends', async () => {
    const { world, operator } = scene();
    await expect(world.until(allOf(operator.list({ group: '' })))).rejects.toMatchObject({
      name: 'UsageError',
    });
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(world.until(allOf(operator.list({ signal: stop.signal })))).rejects.toThrow('enough');
  });
});

describe('an operator', () => {
  it('breaks the very lease that was shown, once', async () => {
    const { world, operator, holder } = scene();
    const lease = await world.until(holder.acquire('x'));
    expect(await world.until(operator.break('x', 'another'))).toBe(false);
    expect(lease.isHeld).toBe(true);
    expect(await world.until(operator.break('x', lease.leaseId))).toBe(true);
    expect(await world.until(operator.break('x', lease.leaseId))).toBe(true);
    await world.until(world.loop.sleep(30_000));
    expect(lease.loss).toMatchObject({ reason: 'broken' });
    expect(await world.until(operator.break('never had', 'any'))).toBe(false);
  });

  it.each([[''], [undefined], [7]])(
    'names what is broken: %j is refused without a request',
    async (leaseId) => {
      const { world, operator } = scene();
      await expect(world.until(operator.break('x', leaseId as never))).rejects.toMatchObject({
        ...{ name: 'UsageError', lockName: 'x' },
        message: 'break: name the lease id that inspect showed',
      });
      expect(world.reads + world.writes).toBe(0);
    },
  );

  it.each<[string, (lease: { leaseId: string; token: number }) => string | object]>([
    ['its id', ({ leaseId }) => leaseId],
    ['its token', ({ token }) => ({ token })],
    ['both', ({ leaseId, token }) => ({ leaseId, token })],
  ])('asks a holder to let go, by %s, and tells that as an event', async (_, seen) => {
    const { world, operator, holder } = scene();
    const told: object[] = [];
    const listener = (event: unknown) => told.push(event as object);
    subscribe('leasehold:release-asked', listener);
    const lease = await world.until(holder.acquire('x'));
    const { leaseId, token } = lease;
    const asked = await world.until(
      operator.requestRelease('x', seen({ leaseId, token }), { reason: 'deploy' }),
    );
    unsubscribe('leasehold:release-asked', listener);
    expect(asked).toBe(true);
    const named = seen({ leaseId, token });
    const ids = typeof named === 'string' ? { leaseId: named } : named;
    expect(told).toEqual([{ name: 'x', leaseId: undefined, token: undefined, ...ids, reason: 'deploy' }]);
    await world.until(world.loop.sleep(15_000));
    expect(lease.releaseRequested).toMatchObject({ aborted: true, reason: 'deploy' });
    await world.until(lease.release());
  });

  it('asks nobody where another lease stands, and tells nothing then', async () => {
    const { world, operator, holder } = scene();
    const told: unknown[] = [];
    const listener = (event: unknown) => told.push(event);
    subscribe('leasehold:release-asked', listener);
    const lease = await world.until(holder.acquire('x'));
    const { leaseId, token } = lease;
    for (const seen of [
      'another',
      { token: token + 1 },
      { leaseId, token: token + 1 },
      { leaseId: 'another', token },
    ])
      expect(await world.until(operator.requestRelease('x', seen))).toBe(false);
    unsubscribe('leasehold:release-asked', listener);
    expect(told).toEqual([]);
    await world.until(lease.release());
  });

  it.each([
    [''],
    [{}],
    [undefined],
    [{ token: 7.5 }],
    [{ leaseId: '' }],
    [{ leaseId: '', token: 7 }],
    [{ leaseId: 7, token: 7 }],
  ])('names whom to ask: %j is refused', async (seen) => {
    const { world, operator } = scene();
    await expect(world.until(operator.requestRelease('x', seen as never))).rejects.toMatchObject({
      ...{
        name: 'UsageError',
        lockName: 'x',
        message: expect.stringMatching(/^requestRelease: name the lease/),
      },
    });
  });

  it('gives a reason of 256 bytes at most', async () => {
    const { world, operator, holder } = scene();
    const lease = await world.until(holder.acquire('x'));
    const ask = (reason: unknown) =>
      world.until(operator.requestRelease('x', lease.leaseId, { reason: reason as string }));
    expect(await ask('ü'.repeat(128))).toBe(true);
    for (const reason of ['ü'.repeat(129), 7])
      await expect(ask(reason)).rejects.toMatchObject({
        ...{ name: 'UsageError', lockName: 'x', message: 'reason: must be a text of at most 256 bytes' },
      });
    await world.until(lease.release());
  });

  it('reopens work that is done, of the very completion that was shown', async () => {
    const { world, operator, holder, inspect } = scene();
    await world.until((async () => (await holder.acquire('x')).complete('done'))());
    const { completedAt } = (await inspect('x'))!;
    expect(await world.until(operator.reopen('x', { completedAt: completedAt! - 1 }))).toBe(false);
    expect((await inspect('x'))!.state).toBe('completed');
    expect(await world.until(operator.reopen('x', { completedAt: completedAt! }))).toBe(true);
    expect((await inspect('x'))!.state).toBe('free');
    expect(await world.until(operator.reopen('never had'))).toBe(false);
  });

  it.each([[0], [-1], [1.5], ['5'], [null]])(
    'reopens by a time that can be one: %j is refused',
    async (completedAt) => {
      const { world, operator } = scene();
      await expect(
        world.until(operator.reopen('x', { completedAt: completedAt as never })),
      ).rejects.toMatchObject({
        ...{
          name: 'UsageError',
          lockName: 'x',
          message: expect.stringMatching(/^completedAt: must be the time/),
        },
      });
    },
  );

  it.each<[string, (locks: ReturnType<typeof scene>['operator'], options: never) => Promise<unknown>]>([
    ['inspect', (locks, options) => locks.inspect('x', options)],
    ['break', (locks, options) => locks.break('x', 'l', options)],
    ['reopen', (locks, options) => locks.reopen('x', options)],
    ['requestRelease', (locks, options) => locks.requestRelease('x', 'l', options)],
  ])('D38 is told of an option that %s has not, and ends a call with its own signal', async (call, ask) => {
    const { world, operator } = scene();
    await expect(world.until(ask(operator, { signals: 1 } as never))).rejects.toThrow(
      `${call}: has no option "signals"`,
    );
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(world.until(ask(operator, { signal } as never))).rejects.toThrow('enough');
  });

  it('C39 names a lock by a name that can be one', async () => {
    const { world, operator } = scene();
    const lease = { leaseId: 'l', token: 7 };
    const calls: (() => Promise<unknown>)[] = [
      () => operator.inspect(''),
      () => operator.break('', 'l'),
      () => operator.reopen(''),
      () => operator.requestRelease('', lease),
    ];
    for (const call of calls)
      await expect(world.until(call())).rejects.toMatchObject({
        message: expect.stringContaining('Lock name'),
      });
    expect(world.reads + world.writes).toBe(0);
  });
});
