import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AcquireOptions } from '../../../lib/client/index.js';
import { EventLog } from '../../support/event-log.js';
import { restlessLease } from '../../support/stage.js';

import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

/** What an invocation with little time left asks for: `maxHoldMs` is the time that it still has. */
describe('a lease within the time that is left', () => {
  const stage = useStage();

  it('C35 ends within it, although the lease asked for is longer, and is never renewed beyond', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks } = await stage.it.readyActor(restlessLease);
    const leftMs = 1_500;
    const lease = await locks.acquire(name, { maxHoldMs: leftMs });
    const end = lease.acquiredAt + leftMs;
    expect(await stage.it.item(name)).toMatchObject({ leaseMs: leftMs });
    await expect(lease.save('in time').then(() => stage.it.item(name))).resolves.toMatchObject({
      checkpoint: 'in time',
    });
    expect(await events.next('lost', name)).toMatchObject({ reason: 'max-hold' });
    // A millisecond for rounding, and one for each renewal: they tell its own answer from another's.
    const { expiresAt, renewals } = (await stage.it.item(name))!;
    expect(renewals).toBe(1);
    expect(expiresAt).toBeLessThanOrEqual(end + 1 + renewals!);
    expect(await lease.release()).toBe('lost');
  });

  it('C35 a next invocation can have the lock as soon as that time is over', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const lease = await a.locks.acquire(name, { maxHoldMs: 1_000 });
    a.faults.always({ kind: 'drop-request' });
    const next = await b.locks.acquire(name, { waitMs: 60_000 });
    expect(next.token).toBeGreaterThan(lease.token);
    expect(lease.isHeld).toBe(false);
    a.faults.clear();
    await lease[Symbol.asyncDispose]();
    await next.release();
  });

  it.each([0, -1])(
    'C35 with %i ms left it is refused before any request, and nobody’s state is in doubt',
    async (leftMs) => {
      const name = stage.name();
      const { locks, meter } = await stage.it.readyActor();
      const refused = locks.withLock(name, () => 'never', { maxHoldMs: leftMs });
      await expect(refused).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('maxHoldMs:'),
      });
      expect(meter.total).toBe(0);
      expect(await stage.it.item(name)).toBeUndefined();
    },
  );
});

/** What a function asks for that may have to wait: its time is asked for when it matters, not when it called. */
describe('a lease of a caller that has an end of its own', () => {
  const stage = useStage();

  it('C35 after a wait ends within the time that is left then, and no wait lasts longer than that', async () => {
    const name = stage.name();
    const { locks: others } = await stage.it.readyActor();
    const { locks, clocks } = await stage.it.readyActor();
    const held = await others.acquire(name);
    const end = clocks.monotonicMs() + 3_000;
    const endsInMs = () => end - clocks.monotonicMs();
    await expect(locks.acquire(name, { waitMs: 60_000, endsInMs: () => 300 })).rejects.toMatchObject({
      name: 'LockHeldError',
    });
    const waiting = locks.acquire(name, { waitMs: 60_000, endsInMs });
    await setTimeout(500);
    await held.release();
    const lease = await waiting;
    const { leaseMs } = (await stage.it.item(name))!;
    expect(leaseMs).toBeLessThan(2_600);
    const leftMs = endsInMs();
    expect(lease.remainingMs).toBeLessThanOrEqual(leftMs);
    await lease.release();
  });

  it('C35 is over with its holder’s time, whatever the store’s clock says, and its signal fires before', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    let leftMs = 2_000;
    const lease = await locks.acquire(name, { endsInMs: () => leftMs });
    const { signal } = lease;
    expect(lease.remainingMs).toBeLessThanOrEqual(2_000);
    leftMs = 1;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    expect(signal.reason).toMatchObject({ name: 'LockLostError', reason: 'max-hold' });
    expect(events.of('lost', name)).toHaveLength(1);
    leftMs = 0;
    expect(lease.isHeld).toBe(false);
    expect(await lease.release()).toBe('lost');
    expect((await stage.it.item(name))?.leaseId).toBeUndefined();
  });

  it('is not renewed once its end is as far as its holder’s', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor(restlessLease);
    const end = Date.now() + 1_500;
    const lease = await locks.acquire(name, { endsInMs: () => end - Date.now() });
    await setTimeout(500);
    expect(meter.writes).toBe(1);
    await lease.release();
  });

  it('C35 runs out while it waits, and is told who holds the lock', async () => {
    const name = stage.name();
    const { locks: others } = await stage.it.readyActor();
    const { locks, meter } = await stage.it.readyActor();
    await using _held = await others.acquire(name);
    // Over with the first write: the last try is made without any time left.
    const endsInMs = () => (meter.writes > 0 ? -5 : 200);
    await expect(locks.acquire(name, { waitMs: 60_000, endsInMs })).rejects.toMatchObject({
      name: 'LockHeldError',
    });
  });

  it('C35 runs out while the grant is on its way, which is given back and not handed out', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const endsInMs = () => (meter.writes > 0 ? -5 : 60_000);
    await expect(locks.acquire(name, { endsInMs })).rejects.toMatchObject({ name: 'StoreError' });
    await until('it is given back', async () => (await stage.it.item(name))?.leaseId === undefined);
  });

  it('C35 runs out while a lease that was handed over is on its way: the next one can go on with it', async () => {
    const { locks: before } = await stage.it.readyActor();
    const handedOver = await (await before.acquire(stage.name())).handOver();
    const { locks, meter } = await stage.it.readyActor();
    const endsInMs = () => (meter.writes > 0 ? -5 : 60_000);
    await expect(locks.resume(handedOver, { endsInMs })).rejects.toMatchObject({
      name: 'StoreError',
      retryable: true,
    });
    await using lease = await locks.resume(handedOver);
    expect(lease.isHeld).toBe(true);
  });

  it.each([0, -1, Number.NaN])('C35 with %s ms left it is refused before any request', async (leftMs) => {
    const { locks, meter } = await stage.it.readyActor();
    const refused = locks.acquire(stage.name(), { endsInMs: () => leftMs });
    await expect(refused).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('endsInMs:'),
    });
    const noFunction = { endsInMs: 5_000 } as unknown as AcquireOptions;
    await expect(locks.acquire(stage.name(), noFunction)).rejects.toMatchObject({ name: 'UsageError' });
    expect(meter.total).toBe(0);
  });
});
