import { describe, expect, it } from 'vitest';
import { lineName } from '../../../lib/kit/line-store.js';
import { useStage } from '../../support/use-stage.js';

describe('in line', () => {
  const stage = useStage();
  const line = async (name: string) =>
    ((await stage.it.item(lineName(name))) as { tickets?: string[] })?.tickets ?? [];

  it('first come, first served, over processes; every ticket disappears', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const waiters = await Promise.all([1, 2, 3, 4].map(() => stage.it.readyActor()));
    const lease = await holder.locks.acquire(name);
    const order: number[] = [];
    const turns: Promise<void>[] = [];
    for (const [i, { locks }] of waiters.entries()) {
      turns.push(locks.withLock(name, () => void order.push(i), { fair: true, waitMs: 60_000 }));
      await expect.poll(() => line(name)).toHaveLength(i + 1);
    }
    await lease.release();
    await Promise.all(turns);
    expect(order).toEqual([0, 1, 2, 3]);
    expect(await line(name)).toEqual([]);
  });

  it('costs one read more and no ticket when nobody waits', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const lease = await locks.acquire(name, { fair: true });
    expect({ writes: meter.writes, reads: meter.reads }).toEqual({ writes: 1, reads: 1 });
    await lease.release();
    expect(await line(name)).toEqual([]);
  });

  it('whoever gives up or aborts takes its ticket out', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor();
    await using _held = await holder.locks.acquire(name);
    await expect(locks.acquire(name, { fair: true, waitMs: 200 })).rejects.toMatchObject({
      name: 'LockHeldError',
    });
    expect(await line(name)).toEqual([]);
    const controller = new AbortController();
    const waiting = locks.acquire(name, { fair: true, waitMs: 60_000, signal: controller.signal });
    await expect.poll(() => line(name)).toHaveLength(1);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(await line(name)).toEqual([]);
  });

  it('a dead waiter ahead costs a grace, and its ticket is cleared away when its time is over', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await stage.it.put({
      name: lineName(name),
      tickets: [`${Date.now() + 3_600_000} dead`],
      ttl: 9_999_999_999,
    });
    const lease = await locks.acquire(name, { fair: true, waitMs: 30_000 });
    // Whoever passed it over has taken it out: it costs nobody a second grace.
    expect(await line(name)).toEqual([]);
    await lease.release();
    await stage.it.put({ name: lineName(name), tickets: ['1000 dead'], ttl: 9_999_999_999 });
    const holder = await stage.it.readyActor();
    const held = await holder.locks.acquire(name);
    const waiting = locks.acquire(name, { fair: true, waitMs: 30_000 });
    await expect.poll(async () => (await line(name)).some((ticket) => ticket.endsWith(' dead'))).toBe(false);
    await held.release();
    await (await waiting).release();
    expect(await line(name)).toEqual([]);
  });

  it('a waiter whose ticket was taken out, as that of a dead one, goes to the end of the line', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor();
    const held = await holder.locks.acquire(name);
    const waiting = locks.acquire(name, { fair: true, waitMs: 30_000 });
    await expect.poll(() => line(name)).toHaveLength(1);
    const [mine] = await line(name);
    const other = `${Date.now() + 3_600_000} other`;
    await stage.it.put({ name: lineName(name), tickets: [other], ttl: 9_999_999_999 });
    await expect.poll(() => line(name)).toEqual([other, mine]);
    await stage.it.put({ name: lineName(name), tickets: [mine], ttl: 9_999_999_999 });
    await held.release();
    await (await waiting).release();
  });

  it('a line that is full refuses with a typed error, and an answer that is lost makes no second ticket', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks, faults } = await stage.it.readyActor();
    await using _held = await holder.locks.acquire(name);
    const full = Array.from({ length: 100 }, (_, i) => `${Date.now() + 3_600_000} waiter-${i}`);
    await stage.it.put({ name: lineName(name), tickets: full, ttl: 9_999_999_999 });
    await expect(locks.acquire(name, { fair: true, waitMs: 5_000 })).rejects.toMatchObject({
      name: 'LineFullError',
    });
    await stage.it.remove(lineName(name));
    // The first write is the try for the lock, the second one the ticket.
    const unheard = faults.on('UpdateItem').skip(1).once().dropAnswer();
    const waiting = locks.acquire(name, { fair: true, waitMs: 2_000 });
    await unheard.reached();
    await expect.poll(() => line(name)).toHaveLength(1);
    await expect(waiting).rejects.toMatchObject({ name: 'LockHeldError' });
    expect(await line(name)).toEqual([]);
  });

  it('trouble that passes is part of the wait, before it stands in line and while it joins', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const held = await holder.locks.acquire(name);
    faults.on('GetItem').times(2).throttle();
    // The first try, and the ticket.
    faults.on('UpdateItem').times(2).throttle();
    const waiting = locks.acquire(name, { fair: true, waitMs: 30_000 });
    await expect.poll(() => line(name)).toHaveLength(1);
    await held.release();
    await (await waiting).release();
    expect(await line(name)).toEqual([]);
  });

  it('the end of the caller’s own time in line is no wrong option', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor();
    await using _held = await holder.locks.acquire(name);
    const since = performance.now();
    const endsInMs = () => 400 - (performance.now() - since);
    await expect(locks.acquire(name, { fair: true, waitMs: 30_000, endsInMs })).rejects.toMatchObject({
      name: 'LockHeldError',
      holder: { owner: 'actor-0' },
    });
    expect(await line(name)).toEqual([]);
  });

  it('supersede: its own earlier lease is taken over at once, also by who stands in line', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor({ owner: 'worker-7', leaseMs: 60_000 });
    const again = await stage.it.readyActor({ owner: 'worker-7' });
    await using earlier = await locks.acquire(name);
    const other = `${Date.now() + 3_600_000} other`;
    await stage.it.put({ name: lineName(name), tickets: [other], ttl: 9_999_999_999 });
    const lease = await again.locks.acquire(name, { fair: true, supersede: true, waitMs: 30_000 });
    expect(lease.token).toBeGreaterThan(earlier.token);
    await lease.release();
  });

  it('whoever would not wait leaves no ticket and goes past nobody', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const other = `${Date.now() + 3_600_000} other`;
    await stage.it.put({ name: lineName(name), tickets: [other], ttl: 9_999_999_999 });
    await expect(locks.acquire(name, { fair: true })).rejects.toMatchObject({ name: 'LockHeldError' });
    expect(meter.writes).toBe(0);
    expect(await line(name)).toEqual([other]);
  });

  it('a line that is broken costs no lease', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor();
    const held = await holder.locks.acquire(name);
    const waiting = locks.acquire(name, { fair: true, waitMs: 30_000 });
    await expect.poll(() => line(name)).toHaveLength(1);
    await stage.it.put({ name: lineName(name), tickets: 'no list' });
    await expect(waiting).rejects.toMatchObject({ name: 'UsageError' });
    await held.release();
    expect(await locks.inspect(name)).toMatchObject({ state: 'free' });
  });
});
