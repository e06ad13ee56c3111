import { describe, expect, it } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import { cannedServer } from '../../support/canned-server.js';
import { EventLog } from '../../support/event-log.js';
import { restlessLease, shortLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

const hourMs = 3_600_000;
/** Past the end of any lease here, also if the clock has narrowed by a second or so since the grant. */
const pastLeaseMs = shortLease.leaseMs + 2_000;
const briefLease = {
  leaseMs: 1_000,
  renewEveryMs: 200,
  safetyMarginMs: 100,
  requestTimeoutMs: 300,
} as const;

/** Holds up everything in this process: no timer fires, no answer is read. */
function blockEventLoop(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('clocks and event loops that misbehave, on a real engine', () => {
  const stage = useStage();

  it('C13 I2 I6 wall clocks an hour off on both sides: no early takeover, and a timely one after a crash', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = stage.it.actor(restlessLease);
    const b = stage.it.actor(restlessLease);
    a.clocks.stepWall(hourMs);
    b.clocks.stepWall(-hourMs);
    const lease = await a.locks.acquire(name);
    const waiting = b.locks.acquire(name, { waitMs: 60_000 });
    // Longer than a lease in beats: B would have taken over by now if its clock counted.
    await events.next('renewed', name, 30);
    expect(events.of('granted', name)).toHaveLength(1);
    let validAtGrant: boolean | undefined;
    a.faults.always({ kind: 'drop-request' });
    const next = await waiting.then((granted) => {
      validAtGrant = lease.isHeld;
      return granted;
    });
    expect(validAtGrant).toBe(false);
    expect(lease.signal.aborted).toBe(true);
    expect(next.token).toBeGreaterThan(lease.token);
    await next.release();
  });

  it('C13 I1 I6 a wall clock set an hour ahead between two requests: neither the lease nor the token lies in the future', async () => {
    const name = stage.name();
    const { locks, clocks } = await stage.it.readyActor(shortLease);
    await (await locks.acquire(stage.name())).release();
    clocks.stepWall(hourMs);
    const before = Date.now();
    const lease = await locks.acquire(name);
    expect(lease.token).toBeLessThan(before + hourMs / 2);
    expect((await stage.it.item(name))?.expiresAt).toBeLessThan(before + hourMs / 2);
    await lease.release();
  });

  it('C13 I6 a wall clock set an hour ahead while the time is asked for: it is asked for again', async () => {
    const name = stage.name();
    const { locks, clocks, faults, meter } = stage.it.actor(shortLease);
    const slow = faults.on('GetItem').once().delay({ beforeMs: 50 });
    const before = Date.now();
    const acquiring = locks.acquire(name);
    await slow.reached();
    clocks.stepWall(hourMs);
    await using lease = await acquiring;
    expect(lease.token).toBeLessThan(before + hourMs / 2);
    expect((await stage.it.item(name))?.expiresAt).toBeLessThan(before + hourMs / 2);
    expect(meter.reads).toBe(2);
  });

  it('C13 D03 I1 a wall clock set ahead, and nobody tells the time: nothing is granted', async () => {
    const name = stage.name();
    const { locks, clocks, faults, meter } = await stage.it.readyActor(shortLease);
    clocks.stepWall(7 * 24 * hourMs);
    const deaf = faults.on('GetItem').dropRequest();
    await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'StoreError', retryable: true });
    expect(meter.writes).toBe(0);
    expect(await stage.it.item(name)).toBeUndefined();
    deaf.remove();
    await using lease = await locks.acquire(name);
    expect(lease.token).toBeLessThan(Date.now() + hourMs / 2);
    expect((await stage.it.item(name))?.expiresAt).toBeLessThan(Date.now() + hourMs / 2);
  });

  it('C13 D03 I1 a waiter grants itself nothing by such a clock either, and goes on when the time is told', async () => {
    const name = stage.name();
    const { locks, clocks, faults } = await stage.it.readyActor(shortLease);
    clocks.stepWall(7 * 24 * hourMs);
    const deaf = faults.on('GetItem').dropRequest();
    const acquiring = locks.acquire(name, { waitMs: 60_000 });
    await deaf.reached();
    expect(await stage.it.item(name)).toBeUndefined();
    deaf.remove();
    await using lease = await acquiring;
    expect(lease.token).toBeLessThan(Date.now() + hourMs / 2);
  });

  it('C13 D03 I6 a monotonic clock set ahead, and nobody tells the time: a renewal goes on, and ends soon', async () => {
    const name = stage.name();
    const longLease = { ...shortLease, leaseMs: 600_000, renewEveryMs: 200_000 };
    const { locks, clocks, faults } = await stage.it.readyActor(longLease);
    await using lease = await locks.acquire(name);
    clocks.stepMonotonic(longLease.leaseMs / 2);
    const deaf = faults.on('GetItem').dropRequest();
    await lease.renew();
    deaf.remove();
    expect(lease.isHeld).toBe(true);
    const latestMs = Date.now() + longLease.leaseMs + 6_000;
    expect((await stage.it.item(name))?.expiresAt).toBeLessThan(latestMs);
  });

  it('C13 I6 a wall clock set ahead by less than is left of the lease: the renewal asks for the time first', async () => {
    const name = stage.name();
    const stepMs = 30_000;
    const longLease = { ...shortLease, leaseMs: 60_000, renewEveryMs: 20_000 };
    const { locks, clocks, meter } = await stage.it.readyActor(longLease);
    await using lease = await locks.acquire(name);
    clocks.stepWall(stepMs);
    meter.reset();
    await lease.renew();
    expect((await stage.it.item(name))?.expiresAt).toBeLessThan(Date.now() + longLease.leaseMs + stepMs / 3);
    expect(lease.isHeld).toBe(true);
    expect([meter.reads, meter.writes]).toEqual([1, 1]);
  });

  it('C14 an event loop blocked past the lease: the next synchronous check says lost, and the signal follows', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor(briefLease);
    const lease = await locks.acquire(name);
    blockEventLoop(briefLease.leaseMs + 1_200);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.aborted).toBe(true);
    expect(() => lease.throwIfLost()).toThrow(
      expect.objectContaining({ name: 'LockLostError', reason: 'expired', token: lease.token }),
    );
    await lease[Symbol.asyncDispose]();
  });

  it('C14 without any check, a blocked event loop is told by the signal as soon as it runs again', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor(briefLease);
    const lease = await locks.acquire(name);
    meter.reset();
    blockEventLoop(briefLease.leaseMs + 1_200);
    await events.next('lost', name);
    expect(lease.signal.reason).toMatchObject({ name: 'LockLostError', reason: 'expired' });
    expect(meter.writes).toBe(0);
  });

  it('C36 a freeze that only the wall clock saw: after the thaw it is lost before any write', async () => {
    const name = stage.name();
    const { locks, meter, clocks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    meter.reset();
    clocks.stepWall(pastLeaseMs);
    await expect(lease.save('late')).rejects.toMatchObject({ name: 'LockLostError', reason: 'expired' });
    await expect(lease.complete('late')).rejects.toMatchObject({ name: 'LockLostError' });
    expect(meter.total).toBe(0);
  });

  it('C15 a wall clock that jumps ahead costs this one lease, and the next one is as good as any', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, clocks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    clocks.stepWall(hourMs);
    expect(lease.isHeld).toBe(false);
    expect(await lease.release()).toBe('lost');
    await using next = await locks.acquire(name);
    await next.renew();
    expect(next.isHeld).toBe(true);
    const left = next.remainingMs;
    expect(left).toBeLessThanOrEqual(shortLease.leaseMs + 1_000);
    expect(events.of('lost', name)).toHaveLength(1);
  });

  it('C15 a wall clock that is set back prolongs nothing: the monotonic clock ends the lease', async () => {
    const name = stage.name();
    const { locks, clocks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    clocks.stepWall(-hourMs);
    expect(lease.isHeld).toBe(true);
    clocks.stepMonotonic(pastLeaseMs);
    expect(lease.isHeld).toBe(false);
    await lease[Symbol.asyncDispose]();
  });

  it('C15 a monotonic clock that stands still prolongs nothing: the wall clock ends the lease', async () => {
    const name = stage.name();
    const { locks, clocks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    clocks.stepMonotonic(-hourMs);
    expect(lease.isHeld).toBe(true);
    clocks.stepWall(pastLeaseMs);
    expect(lease.isHeld).toBe(false);
    await lease[Symbol.asyncDispose]();
  });

  it.each([
    ['wall', (clocks: { stepWall(ms: number): void }) => clocks.stepWall(hourMs)],
    ['monotonic', (clocks: { stepMonotonic(ms: number): void }) => clocks.stepMonotonic(hourMs)],
  ])('C15 a taker whose %s clock alone jumps ahead does not take over early', async (_, jump) => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await using lease = await a.locks.acquire(name);
    jump(b.clocks);
    expect(await b.locks.tryAcquire(name)).toBeNull();
    expect(lease.isHeld).toBe(true);
  });

  it('a lease that ran out here is given back all the same: its release runs on a signal of its own', async () => {
    const name = stage.name();
    const { locks, clocks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    clocks.pass(pastLeaseMs);
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.aborted).toBe(true);
    expect(await stage.it.item(name)).toMatchObject({ leaseId: lease.leaseId });
    expect(await lease.release()).toBe('lost');
    expect(await stage.it.item(name)).not.toHaveProperty('leaseId');
  });

  it('I5 a checkpoint is stored although the clock’s interval has narrowed since the grant', async () => {
    const name = stage.name();
    const { locks } = stage.it.actor();
    const { clock } = locks.context;
    // One answer that took more than three seconds: all that is known is a wide interval, and the grant ends late.
    const { monotonicMs, wallMs } = clock.instant();
    const longAgo = { monotonicMs: monotonicMs - 3_500, wallMs: wallMs - 3_500 };
    clock.observe(longAgo, new Date(Date.now() - 1_000).toUTCString());
    const lease = await locks.acquire(name);
    const granted = (await stage.it.item(name))!.expiresAt!;
    // The grant's own answer was quick: the end of a renewal would now lie before that of the grant.
    expect(clock.now().latest + shortLease.leaseMs).toBeLessThan(granted);
    await lease.save('kept');
    const saved = (await stage.it.item(name))!;
    expect(saved.checkpoint).toBe('kept');
    expect(saved.expiresAt).toBeGreaterThan(granted);
    await lease.save('kept, too');
    expect(await stage.it.item(name)).toMatchObject({ checkpoint: 'kept, too', renewals: 2 });
    await lease.release();
  });

  it('responses without a date leave no store time, which is an error and no endless wait', async () => {
    await using server = await cannedServer(() => ({ status: 200, body: {}, undated: true }));
    await using locks = new LockClient({ table: 'leases', client: server.client });
    await expect(locks.acquire('x', { waitMs: 60_000 })).rejects.toMatchObject({
      name: 'StoreError',
      retryable: false,
      message: expect.stringContaining('no Date header'),
    });
    expect(server.asked).toEqual(['GetItem']);
  });
});
