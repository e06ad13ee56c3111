import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

describe('what the lock kit costs, in requests', () => {
  const stage = useStage();

  it('N locks cost 2N writes and no read', async () => {
    const { locks, meter } = await stage.it.readyActor();
    await locks.withLocks(
      [1, 2, 3].map(() => stage.name()),
      () => {},
    );
    expect({ writes: meter.writes, reads: meter.reads }).toEqual({ writes: 6, reads: 0 });
  });

  it('a fair waiter costs one write to queue, none while it waits, and one to leave, besides its first try and the lock’s own two', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks, meter } = await stage.it.readyActor();
    const held = await holder.locks.acquire(name);
    const waiting = locks.acquire(name, { fair: true, waitMs: 60_000 });
    await until('it waits', () => meter.reads >= 10);
    expect(meter.writes).toBe(2);
    await held.release();
    const lease = await waiting;
    expect(meter.writes).toBe(4);
    await lease.release();
    expect(meter.writes).toBe(5);
  });

  it.each(['x#3', 'x#007', 'x#w', 'x#r', 'x#r#0'])(
    'the name %s, which is that of a permit or a gate, is refused before any request, but for who looks or breaks',
    async (name) => {
      const { locks, meter } = stage.it.actor();
      const reserved = expect.objectContaining({
        name: 'UsageError',
        message: expect.stringContaining('must be none that ends as'),
      });
      const refused = [
        () => locks.acquire(name),
        () => locks.acquire(name, { fair: true }),
        () => locks.tryAcquire(name),
        () => locks.withLock(name, () => {}),
        () => locks.claimNext(['y', name]),
        () => locks.once(name, () => {}),
        () => locks.cronSlot(name, Date.now(), () => {}),
        () => locks.acquireAll(['y', name]),
        () => locks.withLocks(['y', name], () => {}),
        () => locks.lead(name, () => {}),
      ];
      for (const call of refused) await expect(call()).rejects.toEqual(reserved);
      expect(() => locks.semaphore(name, { permits: 1 })).toThrow(reserved);
      expect(() => locks.readWriteLock(name, { readers: 1 })).toThrow(reserved);
      expect(meter.total).toBe(0);
      expect(await locks.inspect(name)).toBeUndefined();
      expect(await locks.break(name, 'no-lease')).toBe(false);
    },
  );

  it('bad options are refused before any request', async () => {
    const { locks, meter } = stage.it.actor();
    const usage = expect.objectContaining({ name: 'UsageError' });
    for (const permits of [0, 101, 1.5, Number.NaN]) {
      expect(() => locks.semaphore('x', { permits })).toThrow(usage);
      expect(() => locks.readWriteLock('x', { readers: permits })).toThrow(usage);
    }
    const [semaphore, catalog] = [
      locks.semaphore('x', { permits: 2 }),
      locks.readWriteLock('x', { readers: 2 }),
    ];
    const bad = [
      { waitMs: -1 },
      { leaseMs: 0 },
      // No renewal has time for all its attempts in it.
      { leaseMs: 1 },
      { lockDelayMs: -1 },
      { owner: '' },
      { leseMs: 5 },
      { endsInMs: () => 0 },
    ];
    for (const options of [...bad, { fair: true }] as object[]) {
      for (const also of [{}, { supersede: true }])
        await expect(semaphore.acquire({ ...options, ...also })).rejects.toEqual(usage);
      await expect(semaphore.withPermit(() => {}, options)).rejects.toEqual(usage);
      await expect(catalog.acquireRead(options)).rejects.toEqual(usage);
      await expect(catalog.acquireWrite(options)).rejects.toEqual(usage);
    }
    for (const call of [semaphore.withPermit, catalog.read, catalog.write])
      await expect(call(7 as never)).rejects.toEqual(usage);
    for (const options of [{ supersede: true }, { minHoldMs: 1 }] as object[]) {
      await expect(catalog.read(() => {}, options)).rejects.toEqual(usage);
      await expect(catalog.write(() => {}, options)).rejects.toEqual(usage);
    }
    expect(() => locks.semaphore('', { permits: 1 })).toThrow(usage);
    expect(() => locks.readWriteLock('', { readers: 1 })).toThrow(usage);
    await expect(locks.acquireAll([])).rejects.toEqual(usage);
    await expect(locks.acquireAll(['a', 'b\u0007'])).rejects.toEqual(usage);
    await expect(locks.requestRelease('x', '')).rejects.toEqual(usage);
    await expect(locks.requestRelease('x', 'id', { reason: 'r'.repeat(257) })).rejects.toEqual(usage);
    await expect(locks.acquire('x', { fair: true, waitMs: -1 })).rejects.toEqual(usage);
    expect(meter.total).toBe(0);
  });
});
