import { describe, expect, it } from 'vitest';
import { EventLog } from '../support/event-log.js';
import { restlessLease } from '../support/stage.js';
import { useStage } from '../support/use-stage.js';

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
    expect(next.token).toBe(lease.token + 1);
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
