import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import type { ObservedRequest } from '../../../lib/local/index.js';
import { EventLog } from '../../support/event-log.js';
import { shortLease } from '../../support/stage.js';
import { aWhile, until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

const single = { maxAttempts: 1 };
/** So long that no test sees it end by itself. */
const longLease = { leaseMs: 60_000, renewEveryMs: 20_000, safetyMarginMs: 1_000 };

/** Of a lease, by whomever. */
const isRelease = ({ body }: ObservedRequest) => body.UpdateExpression.includes('lastLeaseId');

describe('writes whose answer is lost, late or doubled', () => {
  const stage = useStage();

  const isFree = (name: string) => async () => {
    const item = await stage.it.item(name);
    return item !== undefined && item.leaseId === undefined && item.lastLeaseId !== undefined;
  };

  it('C07 a grant whose answer was lost is adopted by the SDK’s retry: token rises once', async () => {
    using events = new EventLog();
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: 7 });
    const { locks, faults, meter } = await stage.it.readyActor();
    faults.on('UpdateItem').once().dropAnswer();
    const lease = await locks.acquire(name);
    expect(lease.token).toBeGreaterThan(7);
    expect(events.of('granted', name)).toMatchObject([{ token: lease.token, adopted: true }]);
    expect(meter.writes).toBe(2);
    await lease.renew();
    expect(await lease.release()).toBe('released');
    expect(await stage.it.item(name)).toMatchObject({ version: lease.token });
  });

  it('C07 a grant whose answer was lost for good is adopted by the waiter that reads it', async () => {
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: 7 });
    const { locks, faults } = await stage.it.readyActor(single);
    faults.on('UpdateItem').once().dropAnswer();
    const lease = await locks.acquire(name, { waitMs: 30_000 });
    expect(lease.token).toBeGreaterThan(7);
    await lease.release();
  });

  it('C07 a grant that the engine answered with 500 although it applied it is adopted', async () => {
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: 7 });
    const { locks, faults } = await stage.it.readyActor();
    faults.on('UpdateItem').once().serverError({ applied: true });
    await using lease = await locks.acquire(name);
    expect(lease.token).toBeGreaterThan(7);
  });

  it('C07 a checkpoint whose answer was lost is stored once, and counts as stored', async () => {
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    await using lease = await locks.acquire(name);
    faults.on('UpdateItem').once().dropAnswer();
    await lease.save({ at: 1 });
    expect(lease.isHeld).toBe(true);
    expect(await stage.it.item(name)).toMatchObject({ checkpoint: { at: 1 }, renewals: 1 });
  });

  it('C07 a release whose answer was lost is a release', async () => {
    using events = new EventLog();
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().dropAnswer();
    expect(await lease.release()).toBe('released');
    expect(events.of('lost', name)).toEqual([]);
    expect(await isFree(name)()).toBe(true);
  });

  it('C07 a completion whose answer was lost is a completion', async () => {
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().dropAnswer();
    await lease.complete('r');
    expect(await stage.it.item(name)).toMatchObject({ result: 'r', lastLeaseId: lease.leaseId });
  });

  it('C07 D01 a completion that nobody answered is found by the next renewal, is no loss, and can be asked for again', async () => {
    using events = new EventLog();
    const { locks, faults } = await stage.it.readyActor(single);
    const name = stage.name();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().dropAnswer();
    await expect(lease.complete('r')).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied: true });
    await expect(lease.renew()).rejects.toMatchObject({ name: 'UsageError' });
    expect(lease).toMatchObject({ isHeld: false, loss: undefined });
    expect(lease.signal.aborted).toBe(true);
    await lease.complete('r');
    expect(await stage.it.item(name)).toMatchObject({ result: 'r', lastLeaseId: lease.leaseId });
    expect(events.of('lost', name)).toEqual([]);
    expect(events.of('completed', name)).toHaveLength(1);
  });

  it('D01 nor is one that was reopened and taken by others: nobody knows', async () => {
    using events = new EventLog();
    const { locks, faults } = await stage.it.readyActor(single);
    const other = await stage.it.readyActor();
    const name = stage.name();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().dropAnswer();
    await expect(lease.complete('r')).rejects.toMatchObject({ mayHaveApplied: true });
    await other.locks.reopen(name);
    await (await other.locks.acquire(name)).release();
    await using _third = await other.locks.acquire(name);
    const unknown = { name: 'StoreError', retryable: false, mayHaveApplied: true };
    await expect(lease.renew()).rejects.toMatchObject(unknown);
    expect(lease).toMatchObject({ isHeld: false, loss: undefined });
    await expect(lease.complete('r')).rejects.toMatchObject(unknown);
    expect(events.of('lost', name).filter(({ leaseId }) => leaseId === lease.leaseId)).toEqual([]);
  });

  it('D01 a release that nobody answered is a release, although a waiter was granted before it is repeated', async () => {
    using events = new EventLog();
    const { locks, faults } = await stage.it.readyActor(single);
    const other = await stage.it.readyActor();
    const name = stage.name();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().dropAnswer();
    await expect(lease.release()).rejects.toMatchObject({ mayHaveApplied: true });
    await using waiter = await other.locks.acquire(name);
    expect(await lease.release()).toBe('released');
    expect(events.of('lost', name)).toEqual([]);
    expect(await stage.it.item(name)).toMatchObject({ leaseId: waiter.leaseId });
  });

  it.each(['release', 'complete'] as const)(
    'D01 an attempt to %s that may have been applied is not forgotten at the next error',
    async (how) => {
      using events = new EventLog();
      const { locks, faults } = await stage.it.readyActor(single);
      const other = await stage.it.readyActor();
      const name = stage.name();
      const lease = await locks.acquire(name);
      const end = () => (how === 'release' ? lease.release() : lease.complete('r'));
      faults.on('UpdateItem').once().dropAnswer();
      await expect(end()).rejects.toMatchObject({ mayHaveApplied: true });
      faults.on('UpdateItem').once().throttle();
      await expect(end()).rejects.toMatchObject({ mayHaveApplied: false });
      if (how === 'complete') await other.locks.reopen(name);
      await (await other.locks.acquire(name)).release();
      await using _third = await other.locks.acquire(name);
      const unknown = { name: 'StoreError', retryable: false, mayHaveApplied: true };
      await expect(end()).rejects.toMatchObject(unknown);
      await lease[Symbol.asyncDispose]();
      expect(lease.loss).toBeUndefined();
      expect(events.of('lost', name).filter(({ leaseId }) => leaseId === lease.leaseId)).toEqual([]);
    },
  );

  it('D01 several holders later nobody knows, and it is not told as a loss', async () => {
    using events = new EventLog();
    const { locks, faults } = await stage.it.readyActor(single);
    const other = await stage.it.readyActor();
    const name = stage.name();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().dropAnswer();
    await expect(lease.release()).rejects.toMatchObject({ mayHaveApplied: true });
    await (await other.locks.acquire(name)).release();
    await using waiter = await other.locks.acquire(name);
    await expect(lease.release()).rejects.toMatchObject({ retryable: false, mayHaveApplied: true });
    expect(events.of('lost', name)).toEqual([]);
    expect(await stage.it.item(name)).toMatchObject({ leaseId: waiter.leaseId });
  });

  it('C08 a replayed acquire is not a second hold: one release frees it', async () => {
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    faults.on('UpdateItem').once().duplicate({ afterMs: 0 });
    const lease = await locks.acquire(name);
    await faults.settled();
    expect(await stage.it.item(name)).toMatchObject({ version: lease.token, leaseId: lease.leaseId });
    expect(await lease.release()).toBe('released');
    expect(await isFree(name)()).toBe(true);
  });

  it('C08 a replayed acquire that lands after the release does not take the lock again', async () => {
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    faults.on('UpdateItem').once().duplicate({ afterMs: 100 });
    const lease = await locks.acquire(name);
    await lease.release();
    await faults.settled();
    expect(await stage.it.item(name)).toMatchObject({ version: lease.token, lastLeaseId: lease.leaseId });
    expect(await isFree(name)()).toBe(true);
  });

  it('C09 an acquire that gave up although it was granted gives its lease back', async () => {
    const { locks, faults } = await stage.it.readyActor({ ...single, ...longLease });
    const name = stage.name();
    faults.on('UpdateItem').once().dropAnswer();
    await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied: true });
    await until('the lock is free', isFree(name));
  });

  it('C09 an acquire that timed out but lands later is released by its id', async () => {
    const { locks, faults } = await stage.it.readyActor({ ...single, ...longLease });
    const name = stage.name();
    const late = faults.on('UpdateItem').once().late({ afterMs: 250 });
    await expect(locks.tryAcquire(name)).rejects.toMatchObject({ name: 'StoreError' });
    await late.reached();
    await faults.settled();
    // It has landed by now, and may have been given back as well.
    await until('the lock is free', isFree(name));
    expect(await stage.it.item(name)).toMatchObject({ lastLeaseId: expect.any(String) });
  });

  it('C09 an earlier attempt that is still on its way is given back after a refusal, too', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const { locks, faults } = await stage.it.readyActor(longLease);
    const lease = await holder.locks.acquire(name);
    faults.on('UpdateItem').once().late({ afterMs: 1_000 });
    expect(await locks.tryAcquire(name)).toBeNull();
    await lease.release();
    await faults.settled();
    await until('the lock is free', isFree(name));
  });

  it('C09 an acquire that its caller aborted in mid-write is given back, on a signal of its own', async () => {
    const { locks, faults } = await stage.it.readyActor(longLease);
    const name = stage.name();
    const abort = new AbortController();
    const hung = faults.on('UpdateItem').once().hang({ sent: true });
    const acquiring = locks.acquire(name, { signal: abort.signal });
    acquiring.catch(() => {});
    await hung.reached();
    abort.abort(new Error('enough'));
    await expect(acquiring).rejects.toThrow('enough');
    await faults.settled();
    await until('the lock is free', isFree(name));
  });

  it('C09 a waiter whose unanswered grant was broken gets the lock under a new lease id', async () => {
    const name = stage.name();
    const operator = await stage.it.readyActor();
    const { locks, faults } = await stage.it.readyActor({ ...single, ...longLease });
    faults.on('UpdateItem').once().dropAnswer();
    // It is to learn of its grant only after the break.
    const deaf = faults.on('GetItem').dropRequest();
    const acquiring = locks.acquire(name, { waitMs: 10_000 });
    acquiring.catch(() => {});
    await deaf.reached();
    const { leaseId } = (await stage.it.item(name))!;
    expect(await operator.locks.break(name, leaseId!)).toBe(true);
    deaf.remove();
    await using lease = await acquiring;
    expect(lease.leaseId).not.toBe(leaseId);
    expect(await stage.it.item(name)).toMatchObject({ leaseId: lease.leaseId, lastLeaseId: leaseId });
  });

  it('C10 a grant that took longer than its lease is not handed out, and is given back', async () => {
    const name = stage.name();
    const { locks, faults, clocks } = await stage.it.readyActor();
    const slow = faults.on('UpdateItem').once().delay({ afterMs: 100 });
    const acquiring = locks.tryAcquire(name);
    acquiring.catch(() => {});
    await slow.reached();
    clocks.pass(shortLease.leaseMs + 2_000);
    await expect(acquiring).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('already over'),
    });
    await until('the lock is free', isFree(name));
  });

  it('C10 C30 nobody is told that the lock is held by the lease that he is giving back', async () => {
    const name = stage.name();
    const { locks, faults, clocks } = await stage.it.readyActor({ ...single, ...longLease });
    const slow = faults.on('UpdateItem').once().delay({ afterMs: 100 });
    // The grant and its reading get through, releases do not.
    const cut = faults.on('UpdateItem').when(isRelease).dropRequest();
    const overMs = longLease.leaseMs + 2_000;
    const acquiring = locks.acquire(name, { waitMs: overMs + 500 });
    acquiring.catch(() => {});
    await slow.reached();
    clocks.pass(overMs);
    await expect(acquiring).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('already over'),
    });
    expect(await stage.it.item(name)).toHaveProperty('leaseId');
    cut.remove();
    await until('the lock is free', isFree(name));
  });

  it('C30 nor by one that an earlier call of the same client is giving back', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ ...single, ...longLease });
    const cut = faults.on('UpdateItem').when(isRelease).dropRequest();
    faults.on('UpdateItem').once().dropAnswer();
    await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied: true });
    await cut.reached();
    await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'LockHeldError', holder: undefined });
    cut.remove();
    await until('the lock is free', isFree(name));
  });

  it('C10 a waiter goes on after such a grant and gets a fresh one, with a higher token', async () => {
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: 7 });
    const { locks, faults, clocks } = await stage.it.readyActor();
    const slow = faults.on('UpdateItem').once().delay({ afterMs: 100 });
    const acquiring = locks.acquire(name, { waitMs: 30_000 });
    await slow.reached();
    clocks.pass(shortLease.leaseMs + 2_000);
    await using lease = await acquiring;
    expect(lease.token).toBeGreaterThan(8);
    expect(lease.isHeld).toBe(true);
  });

  it('C04 a renewal that lands after the release, late or twice, changes nothing', async () => {
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().duplicate({ afterMs: 100 });
    await lease.save('x');
    await lease.release();
    const before = await stage.it.item(name);
    await faults.settled();
    await aWhile();
    expect(await stage.it.item(name)).toEqual(before);
  });
});
