import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { restlessLease } from '../../support/stage.js';
import { aWhile, until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

describe('the heartbeat of a lease', () => {
  const stage = useStage();

  it('C42 a hold longer than its lease goes on: it is renewed, under the same token', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks } = await stage.it.readyActor(restlessLease);
    const lease = await locks.acquire(name);
    const { expiresAt } = (await stage.it.item(name))!;
    await events.next('renewed', name, 5);
    expect(lease.isHeld).toBe(true);
    const item = (await stage.it.item(name))!;
    expect(item).toMatchObject({ version: lease.token, leaseId: lease.leaseId });
    expect(item.expiresAt).toBeGreaterThan(expiresAt!);
    await lease.release();
  });

  it('C06 a failed renewal is tried again sooner: still held, no loss, no unhandled rejection', async () => {
    using events = new EventLog();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ ...restlessLease, maxAttempts: 1 });
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().throttle();
    faults.on('UpdateItem').once().dropRequest();
    faults.on('UpdateItem').once().serverError();
    await events.next('renewal-failed', name, 3);
    await events.next('renewed', name);
    expect(lease.isHeld).toBe(true);
    expect(events.of('lost', name)).toEqual([]);
    await lease.release();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('C04 a release while a renewal is in flight drops it: the item is free, and no loss is told', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, faults, meter } = await stage.it.readyActor(restlessLease);
    const lease = await locks.acquire(name);
    const hung = faults.on('UpdateItem').once().hang({ sent: true });
    await hung.reached();
    expect(await lease.release()).toBe('released');
    await faults.settled();
    expect(await stage.it.item(name)).not.toHaveProperty('leaseId');
    expect(events.of('lost', name)).toEqual([]);
    expect(meter.log.find((entry) => entry.faults.includes('hang'))?.error).toBe('AbortError');
  });

  it('C05 after a release: no timer, no request, and the item is never touched again', async () => {
    const name = stage.name();
    const { locks, meter, clocks } = await stage.it.readyActor(restlessLease);
    const lease = await locks.acquire(name);
    expect(clocks.liveTimers).toBeGreaterThan(0);
    await lease.release();
    expect(clocks.liveTimers).toBe(0);
    meter.reset();
    const before = await stage.it.item(name);
    await aWhile();
    expect(meter.total).toBe(0);
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('C05 after a completion: no timer, no request', async () => {
    const { locks, meter, clocks } = await stage.it.readyActor(restlessLease);
    const lease = await locks.acquire(stage.name());
    await lease.complete();
    expect(clocks.liveTimers).toBe(0);
    meter.reset();
    await aWhile();
    expect(meter.total).toBe(0);
  });

  it('C05 after a loss: no timer, no request', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, meter, clocks } = await stage.it.readyActor(restlessLease);
    const lease = await locks.acquire(name);
    await locks.break(name, lease.leaseId);
    await events.next('lost', name);
    expect(clocks.liveTimers).toBe(0);
    meter.reset();
    await aWhile();
    expect(meter.total).toBe(0);
    expect(await lease.release()).toBe('lost');
  });

  it('C31 a network cut while holding: the signal fires before the lease ends, reason store-unavailable', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({
      ...restlessLease,
      leaseMs: 3_500,
      safetyMarginMs: 1_000,
    });
    const lease = await locks.acquire(name);
    faults.always({ kind: 'drop-request' });
    const { expiresAt } = (await stage.it.item(name))!;
    const leftMs = await new Promise<number>((resolve) => {
      lease.signal.addEventListener('abort', () => resolve(expiresAt! - locks.context.clock.now().latest), {
        once: true,
      });
    });
    expect(leftMs).toBeGreaterThan(0);
    expect(lease.signal.reason).toMatchObject({ name: 'LockLostError', reason: 'store-unavailable' });
    expect(lease.isHeld).toBe(false);
    expect(getEventListeners(lease.signal, 'abort')).toHaveLength(0);
    await lease[Symbol.asyncDispose]();
  });

  it('a lease ends at its longest hold, and is not renewed beyond', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor({ ...restlessLease, maxHoldMs: 3_000 });
    const lease = await locks.acquire(name);
    const end = lease.acquiredAt + 3_000;
    await until('renewed up to the end', async () => (await stage.it.item(name))?.expiresAt === end);
    meter.reset();
    expect(await events.next('lost', name)).toMatchObject({ reason: 'max-hold', token: lease.token });
    // The renewal that reached the end may have been counted; ten more would have come.
    expect(meter.writes).toBeLessThanOrEqual(1);
    expect((await stage.it.item(name))?.expiresAt).toBe(end);
    expect(await lease.release()).toBe('lost');
    expect(await stage.it.item(name)).not.toHaveProperty('leaseId');
  });

  it('a release waits for the caller’s own renewal, and a loss that this finds is a LockLostError', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    await stage.it.remove(name);
    const slow = faults.on('UpdateItem').once().delay({ beforeMs: 100 });
    const renewing = lease.renew();
    renewing.catch(() => {});
    await slow.reached();
    expect(await lease.release()).toBe('lost');
    await expect(renewing).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken' });
    expect(events.of('lost', name)).toHaveLength(1);
  });

  it('a release during a completion sends nothing more: the lease has ended by then', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, faults, meter } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    meter.reset();
    const slow = faults.on('UpdateItem').once().delay({ beforeMs: 100 });
    const completing = lease.complete('r');
    await slow.reached();
    expect(await lease.release()).toBe('released');
    await completing;
    expect(meter.total).toBe(1);
    expect(events.of('completed', name)).toHaveLength(1);
    expect(events.of('released', name)).toEqual([]);
  });

  it('writes of one lease go one at a time, in the order of the calls', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().delay({ beforeMs: 150 });
    const saves = [1, 2, 3].map((page) => lease.save({ page }));
    await Promise.all(saves);
    expect(await stage.it.item(name)).toMatchObject({ checkpoint: { page: 3 }, renewals: 3 });
    await lease.release();
    await until('released', async () => (await stage.it.item(name))?.leaseId === undefined);
  });
});
