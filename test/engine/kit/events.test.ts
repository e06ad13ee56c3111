import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { useStage } from '../../support/use-stage.js';

describe('the events of the lock kit', () => {
  const stage = useStage();

  it('a permit tells of its semaphore, and how long it was waited for', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await locks.semaphore(name, { permits: 2 }).withPermit(async (lease) => {
      const { owner, token, leaseId, name: permit } = lease;
      const told = await events.next('permit-granted', name);
      expect(told).toEqual({ name, owner, token, leaseId, permit, waitedMs: expect.any(Number) });
    });
  });

  it('who waits in line tells how many do', async () => {
    using events = new EventLog();
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const waiters = await Promise.all([1, 2].map(() => stage.it.readyActor()));
    const lease = await holder.locks.acquire(name);
    const turns: Promise<void>[] = [];
    for (const [i, { locks }] of waiters.entries()) {
      turns.push(locks.withLock(name, () => {}, { fair: true, waitMs: 60_000 }));
      const { owner, length } = await events.next('line-joined', name, i + 1);
      expect({ owner, length }).toEqual({ owner: locks.owner, length: i + 1 });
    }
    await lease.release();
    await Promise.all(turns);
  });

  it('a leader tells when it begins, and why it ends: asked, or by itself', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    let terms = 0;
    const leading = locks.lead(
      name,
      async (lease, { signal }) => {
        terms += 1;
        if (terms === 2) return 'done';
        expect(await locks.requestRelease(name, lease, { reason: 'deployment' })).toBe(true);
        await lease.renew();
        signal.throwIfAborted();
        return 'not reached';
      },
      { stepDownPauseMs: 1 },
    );
    expect(await leading).toBe('done');
    expect(events.of('elected', name)).toHaveLength(2);
    expect(events.of('lead-ended', name).map(({ why }) => why)).toEqual(['asked', 'ended']);
    expect(events.of('release-asked', name)).toMatchObject([{ reason: 'deployment' }]);
    expect(events.of('release-requested', name)).toMatchObject([{ reason: 'deployment' }]);
  });
});
