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

  it('bad options are refused before any request', async () => {
    const { locks, meter } = stage.it.actor();
    const usage = expect.objectContaining({ name: 'UsageError' });
    for (const permits of [0, 101, 1.5, Number.NaN]) {
      expect(() => locks.semaphore('x', { permits })).toThrow(usage);
      expect(() => locks.readWriteLock('x', { readers: permits })).toThrow(usage);
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
