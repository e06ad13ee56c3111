import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { useStage } from '../../support/use-stage.js';

const minute = 60_000;

describe('free, but not yet', () => {
  const stage = useStage();

  it('minHoldMs costs no request; a waiter sleeps until the time has come, and is told of the wait', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor({ pollFloorMs: 5_000, pollCeilingMs: 5_000 });
    const lease = await a.locks.acquire(name, { minHoldMs: 700 });
    await lease.release();
    expect(a.meter.operations).toEqual({ UpdateItem: 2 });
    const waiting = b.locks.acquire(name, { waitMs: minute });
    expect(await events.next('held', name)).toMatchObject({ holder: undefined });
    const next = await waiting;
    // Its polls lie five seconds apart: it was the time that woke it.
    expect(next.token).toBeLessThan(lease.acquiredAt + 5_000);
    expect(next.token).toBeGreaterThan(lease.acquiredAt + 700);
    expect(b.meter.operations).toEqual({ UpdateItem: 2, GetItem: 1 });
    await next.release();
  });

  it('minHoldMs: the item is kept for the retention after the time, and a renewed lease older than it is free at once', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor({ retentionMs: 86_400_000 });
    const lease = await locks.acquire(name, { minHoldMs: 10 * 86_400_000 });
    await lease.release();
    const item = (await stage.it.item(name))!;
    expect(item.freeFrom).toBe(lease.acquiredAt + 10 * 86_400_000);
    expect(item.ttl! * 1_000).toBeGreaterThanOrEqual(item.freeFrom! + 86_400_000);
  });

  it('minHoldMs: a release that the store did not take is repeated in the background with it', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const lease = await locks.acquire(name, { minHoldMs: minute });
    faults.on('UpdateItem').times(1).throttle();
    await lease[Symbol.asyncDispose]();
    await events.next('release-failed', name);
    await expect.poll(async () => (await stage.it.item(name))?.leaseId).toBeUndefined();
    expect(await stage.it.item(name)).toMatchObject({ freeFrom: lease.acquiredAt + minute });
  });

  it('minHoldMs: a completion does not write it, and a reopened name is free at once', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name, { minHoldMs: minute });
    await lease.complete('done');
    await locks.reopen(name);
    await (await locks.acquire(name)).release();
  });

  it('minHoldMs of a semaphore is a rate, and a permit that is not free yet costs a waiter no write', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const other = await stage.it.readyActor();
    const semaphore = locks.semaphore(name, { permits: 2 });
    for (let i = 0; i < 2; i++) await semaphore.withPermit(() => {}, { minHoldMs: minute });
    expect(await semaphore.inspect()).toMatchObject({ free: 0 });
    const waiting = other.locks.semaphore(name, { permits: 2 }).acquire({ waitMs: 300 });
    await expect(waiting).rejects.toMatchObject({ name: 'LockHeldError' });
    expect(other.meter.writes).toBe(1);
    expect(other.meter.reads).toBeGreaterThan(1);
  });

  it('minHoldMs: nobody in line tries before its time', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name, { minHoldMs: 500 });
    await lease.release();
    const b = await stage.it.readyActor();
    const next = await b.locks.acquire(name, { fair: true, waitMs: minute });
    expect(next.token).toBeGreaterThan(lease.acquiredAt + 500);
    // The first try, the ticket, the grant, the way out.
    expect(b.meter.writes).toBe(4);
    await next.release();
  });

  it('minHoldMs: an operator’s break ends the rest of it, of exactly the lease that inspect shows', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const operator = await stage.it.readyActor();
    const first = await locks.acquire(name, { minHoldMs: minute });
    await first.release();
    const seen = await operator.locks.inspect(name);
    expect(seen).toMatchObject({ state: 'free', leaseId: first.leaseId, freeFrom: expect.any(Number) });
    expect(await operator.locks.break(name, 'another')).toBe(false);
    expect(await locks.tryAcquire(name)).toBeNull();
    expect(await operator.locks.break(name, seen!.leaseId!)).toBe(true);
    expect(await operator.locks.inspect(name)).toMatchObject({ leaseId: undefined, freeFrom: undefined });
    const second = await locks.acquire(name, { minHoldMs: minute });
    await second.release();
    // What was seen before is not what keeps everybody from it now.
    expect(await operator.locks.break(name, first.leaseId)).toBe(false);
    expect(await locks.tryAcquire(name)).toBeNull();
  });

  it('minHoldMs goes with cronSlot and once: a job that fails is not run again before its time', async () => {
    const { locks } = await stage.it.readyActor();
    const now = Math.floor(locks.context.clock.now().latest);
    const [slot, job] = [stage.name(), stage.name()];
    expect(await locks.cronSlot(slot, now - 2_000, () => 1, { minHoldMs: minute })).toMatchObject({
      ran: true,
    });
    expect(await locks.cronSlot(slot, now, () => 2)).toMatchObject({ ran: false, reason: 'held' });
    const fail = () => Promise.reject(new Error('not this time'));
    await expect(locks.once(job, fail, { minHoldMs: minute })).rejects.toThrow('not this time');
    await expect(locks.once(job, () => 1)).rejects.toMatchObject({ name: 'LockHeldError' });
  });

  it('is refused where leases may be given back before any work', async () => {
    const { locks, meter } = await stage.it.readyActor();
    const no = expect.objectContaining({ name: 'UsageError', message: expect.stringContaining('minHoldMs') });
    const options = { minHoldMs: 1 } as object;
    await expect(locks.acquireAll(['a', 'b'], options)).rejects.toEqual(no);
    await expect(locks.readWriteLock('c', { readers: 2 }).read(() => {}, options)).rejects.toEqual(no);
    await expect(locks.readWriteLock('c', { readers: 2 }).write(() => {}, options)).rejects.toEqual(no);
    expect(meter.total).toBe(0);
  });

  it('lockDelayMs: a waiter takes a lease that ran out so much later, and writes no sooner', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const crashed = await a.locks.acquire(name);
    const expiresAt = Math.floor(b.locks.context.clock.now().earliest) - 200;
    await stage.it.put({ ...(await stage.it.item(name))!, expiresAt });
    const lease = await b.locks.acquire(name, { lockDelayMs: 800, waitMs: minute });
    expect(lease.token).toBeGreaterThan(expiresAt + 800);
    expect(lease.takenOverFrom).toMatchObject({ token: crashed.token });
    expect(b.meter.writes).toBe(2);
    await lease.release();
    expect(await crashed.release()).toBe('lost');
  });

  it('lockDelayMs: a permit that ran out is left as long', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const crashed = await a.locks.semaphore(name, { permits: 1 }).acquire();
    await stage.it.put({
      ...(await stage.it.item(crashed.name))!,
      expiresAt: Math.floor(b.locks.context.clock.now().earliest) - 1_000,
    });
    const semaphore = b.locks.semaphore(name, { permits: 1 });
    await expect(semaphore.acquire({ lockDelayMs: minute, waitMs: 200 })).rejects.toMatchObject({
      name: 'LockHeldError',
    });
    expect(b.meter.writes).toBe(1);
    await (await semaphore.acquire({ waitMs: minute })).release();
    await crashed.release();
  });
});
