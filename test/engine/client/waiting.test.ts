import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { restlessLease } from '../../support/stage.js';
import { aWhile, until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

describe('waiting for a lock', () => {
  const stage = useStage();

  it('C16 100 waiters of 5 clients: all get it in turn, and losing a race is no error', async () => {
    const name = stage.name();
    const actors = await Promise.all(Array.from({ length: 5 }, () => stage.it.readyActor(restlessLease)));
    let inside = 0;
    const tokens: number[] = [];
    const work = async (lease: { token: number }) => {
      expect(++inside).toBe(1);
      tokens.push(lease.token);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => actors[i % 5]!.locks.withLock(name, work, { waitMs: 60_000 })),
    );
    expect(tokens).toHaveLength(100);
    expect(tokens.every((token, i) => i === 0 || token > tokens[i - 1]!)).toBe(true);
  });

  it('C17 an abort during a wait answers at once with the caller’s reason, and nothing is sent afterwards', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await using _lease = await a.locks.acquire(name);
    const before = await stage.it.item(name);
    const abort = new AbortController();
    const waiting = b.locks.acquire(name, { waitMs: 60_000, signal: abort.signal });
    waiting.catch(() => {});
    await events.next('held', name);
    await until('some reads', () => b.meter.reads >= 3);
    const reason = new Error('the caller’s own');
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const { total } = b.meter;
    await aWhile();
    expect(b.meter.total).toBe(total);
    expect(b.clocks.liveTimers).toBe(0);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('C17 an abort while queued behind a caller of the same process answers at once, too', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    meter.reset();
    const abort = new AbortController();
    const waiting = locks.acquire(name, { waitMs: 60_000, signal: abort.signal });
    const next = locks.acquire(name, { waitMs: 60_000 });
    abort.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(meter.total).toBe(0);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    await lease.release();
    await (await next).release();
  });

  it('C17 a signal that has aborted already: no request at all, and no item', async () => {
    const name = stage.name();
    const { locks, meter } = stage.it.actor();
    const signal = AbortSignal.abort('too late');
    await expect(locks.acquire(name, { signal })).rejects.toBe('too late');
    await expect(locks.withLock(name, () => 1, { signal, waitMs: 1_000 })).rejects.toBe('too late');
    expect(meter.total).toBe(0);
    expect(await stage.it.item(name)).toBeUndefined();
  });

  it('C18 100 waits on one signal leave no listener behind', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const { signal } = new AbortController();
    const lease = await a.locks.acquire(name);
    const waits = Array.from({ length: 100 }, (_, i) =>
      b.locks.acquire(`${name}/${i % 10}`, { waitMs: 30_000, signal }).then((got) => got.release()),
    );
    const refused = b.locks.acquire(name, { waitMs: 100, signal });
    await expect(refused).rejects.toMatchObject({ name: 'LockHeldError' });
    await Promise.all(waits);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await lease.release();
  });

  it('C19 throttling and 5xx are part of waiting, not its end', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor({ maxAttempts: 1 });
    const lease = await a.locks.acquire(name);
    const waiting = b.locks.acquire(name, { waitMs: 60_000 });
    await events.next('held', name);
    const faults = [
      b.faults.on('GetItem').once().throttle(),
      b.faults.on('GetItem').once().serverError(),
      b.faults.on('GetItem').once().dropRequest(),
    ];
    for (const fault of faults) await fault.reached();
    await lease.release();
    await (await waiting).release();
  });

  it('C19 a wait that ends while the store fails says who held the lock, and the failure is the cause', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor({ maxAttempts: 1 });
    await using lease = await a.locks.acquire(name);
    const waiting = b.locks.acquire(name, { waitMs: 500 });
    waiting.catch(() => {});
    await events.next('held', name);
    b.faults.on('GetItem').throttle();
    await expect(waiting).rejects.toMatchObject({
      name: 'LockHeldError',
      holder: { token: lease.token },
      cause: { name: 'StoreError', cause: { name: 'ThrottlingException' } },
    });
  });

  it('a store that never answered is a StoreError in the end, not a lock that is held', async () => {
    const { locks, faults } = stage.it.actor({ maxAttempts: 1 });
    faults.always({ kind: 'drop-request' });
    await expect(locks.acquire(stage.name(), { waitMs: 300 })).rejects.toMatchObject({
      name: 'StoreError',
      retryable: true,
    });
  });

  it('C21 many waiters for some time stay under one read each per floor, and use no write units', async () => {
    using events = new EventLog();
    const name = stage.name();
    const holder = await stage.it.readyActor();
    await using _lease = await holder.locks.acquire(name);
    const waiters = await Promise.all(
      Array.from({ length: 10 }, () => stage.it.readyActor({ pollFloorMs: 50, pollCeilingMs: 200 })),
    );
    const waitMs = 1_000;
    const all = waiters.map(({ locks }) => locks.acquire(name, { waitMs }).catch((error) => error.name));
    await events.next('held', name, 10);
    expect(new Set(await Promise.all(all))).toEqual(new Set(['LockHeldError']));
    for (const { meter } of waiters) {
      expect(meter.writes).toBe(1);
      expect(meter.reads).toBeLessThanOrEqual(waitMs / 50 + 2);
    }
  });

  it('a lock that comes free after the deadline’s last sleep is still tried once', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor({ pollFloorMs: 400, pollCeilingMs: 400 });
    const lease = await a.locks.acquire(name);
    const waiting = b.locks.acquire(name, { waitMs: 300 });
    await until('refused once', () => b.meter.writes === 1);
    await lease.release();
    await (await waiting).release();
  });
});
