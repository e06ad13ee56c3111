import { describe, expect, it, vi } from 'vitest';
import { LockHeldError, UsageError } from '../../../lib/errors/index.js';
import { EventLog } from '../../support/event-log.js';
import { restlessLease } from '../../support/stage.js';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

describe('whose lease it is', () => {
  const stage = useStage({ leasesLeft: true });

  it('D07 after a release throwIfLost throws another error than a loss, and the signal is aborted', async () => {
    const { locks } = await stage.it.readyActor();
    for (const end of ['release', 'complete', 'handOver'] as const) {
      const lease = await locks.acquire(stage.name());
      const early = lease.signal;
      lease.throwIfLost();
      await lease[end]();
      expect(() => lease.throwIfLost()).toThrow(UsageError);
      expect(early.aborted).toBe(true);
      expect(early.reason).toBeInstanceOf(UsageError);
      expect(lease.signal.aborted).toBe(true);
      expect(lease.loss).toBeUndefined();
    }
  });

  it('D07 from the call of a release on nothing more is asked for under the lease', async () => {
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(stage.name());
    const released = lease.release();
    expect(lease.isHeld).toBe(false);
    expect(() => lease.throwIfLost()).toThrow(/given back/);
    for (const late of [lease.save(1), lease.renew(), lease.complete(), lease.handOver()]) {
      await expect(late).rejects.toThrow(UsageError);
    }
    expect(await released).toBe('released');
  });

  it('D42 a reopening that comes twice takes back no later completion', async () => {
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    await (await locks.acquire(name)).complete('first');
    faults.on('UpdateItem').once().duplicate({ afterMs: 300 });
    expect(await locks.reopen(name)).toBe(true);
    await (await locks.acquire(name)).complete('second');
    const before = await stage.it.item(name);
    await faults.settled();
    expect(await stage.it.item(name)).toEqual(before);
    expect(await locks.reopen(name, { completedAt: 1 })).toBe(false);
    expect(await stage.it.item(name)).toEqual(before);
    await expect(locks.reopen(name, { completedAt: 0.5 })).rejects.toThrow(UsageError);
    expect(await locks.reopen(name)).toBe(true);
  });

  it('D08 a checkpoint and a result are stored as they were at the call', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    const first = lease.save('before');
    const checkpoint = { at: { page: 1 }, seen: new Set(['a']) };
    const saved = lease.save(checkpoint);
    checkpoint.at.page = 2;
    checkpoint.seen.add('b');
    await Promise.all([first, saved]);
    expect((await stage.it.item(name))?.checkpoint).toEqual({ at: { page: 1 }, seen: new Set(['a']) });
    const result = { list: [1] };
    const behind = lease.save('again');
    const completed = lease.complete(result);
    result.list.push(2);
    await Promise.all([behind, completed]);
    expect((await stage.it.item(name))?.result).toEqual({ list: [1] });
  });

  it('D08 so does what a lease is resumed from', async () => {
    const { locks } = await stage.it.readyActor();
    const name = stage.name();
    const handedOver = { ...(await (await locks.acquire(name)).handOver()) };
    const resumed = locks.resume(handedOver);
    Object.assign(handedOver, { name: 'another', leaseId: 'another', token: 1 });
    await using lease = await resumed;
    expect(lease.name).toBe(name);
  });

  it('D08 options count as they were at the call, also those of a call that waits', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const lease = await a.locks.acquire(name);
    const options = { waitMs: 60_000, owner: 'before', group: 'before', leaseMs: 4_000 };
    const waiting = b.locks.acquire(name, options);
    await events.next('held', name);
    Object.assign(options, { owner: 'after', group: 'after', leaseMs: Number.NaN });
    await lease.release();
    await waiting;
    expect(await stage.it.item(name)).toMatchObject({ owner: 'before', group: 'before', leaseMs: 4_000 });
    const names = [stage.name(), stage.name()];
    const claimed = b.locks.claimNext(names);
    const [wanted] = names.splice(0, 1, name);
    expect((await claimed)?.name).toBe(wanted);
  });

  it('D09 close ends a wait and refuses later calls with a typed error', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await a.locks.acquire(name);
    const waiting = b.locks.acquire(name, { waitMs: 60_000 });
    const behind = b.locks.acquire(name, { waitMs: 60_000 });
    await events.next('held', name);
    const refused = Promise.all(
      [waiting, behind].map((one) =>
        expect(one).rejects.toMatchObject({ name: 'UsageError', code: 'CLOSED' }),
      ),
    );
    await b.locks.close();
    await refused;
    const calls = [
      () => b.locks.acquire(stage.name()),
      () => b.locks.tryAcquire(stage.name()),
      () => b.locks.once(stage.name(), () => 1),
      () => b.locks.claimNext([stage.name()]),
      () => b.locks.inspect(name),
      () => b.locks.reopen(name),
      () => b.locks.list()[Symbol.asyncIterator]().next(),
      () => b.locks.cronSlot(stage.name(), new Date(), () => 1),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('D09 a closed client renews nothing, and gives back a grant that arrives late', async () => {
    using events = new EventLog();
    const [held, late] = [stage.name(), stage.name()];
    const { locks, faults, meter } = await stage.it.readyActor(restlessLease);
    const lease = await locks.acquire(held);
    faults.on('UpdateItem').once().delay({ afterMs: 300 });
    const acquiring = locks.acquire(late).catch((error) => error);
    await locks.close();
    expect(await acquiring).toMatchObject({ code: 'CLOSED' });
    const { writes } = meter;
    await expect(lease.renew()).rejects.toMatchObject({ code: 'CLOSED' });
    await events.next('renewal-failed', held);
    expect(meter.writes).toBe(writes);
    expect((await stage.it.item(late))?.leaseId).toBeUndefined();
    expect(await lease.release()).toBe('released');
  });

  it('D10 save and release in one tick are carried out in that order', async () => {
    const { locks } = await stage.it.readyActor();
    for (const end of ['release', 'complete'] as const) {
      const name = stage.name();
      const lease = await locks.acquire(name);
      const outcomes = [lease.save('first'), lease.save('second'), lease[end]()];
      await Promise.all(outcomes);
      const item = await stage.it.item(name);
      expect(item?.checkpoint).toBe('second');
      expect(item?.leaseId).toBeUndefined();
    }
  });

  it('D11 the caller’s signal fires while the work ends well: the result is not lost', async () => {
    const { locks } = await stage.it.readyActor();
    const end = (controller: AbortController) => () => {
      controller.abort(new Error('too late'));
      return 'done';
    };
    const first = new AbortController();
    expect(await locks.withLock(stage.name(), end(first), { signal: first.signal })).toBe('done');
    const second = new AbortController();
    const done = await locks.once(stage.name(), end(second), { signal: second.signal });
    expect(done).toEqual({ ran: true, result: 'done' });
    const third = new AbortController();
    const slot = await locks.cronSlot(stage.name(), new Date(), end(third), { signal: third.signal });
    expect(slot).toEqual({ ran: true, result: 'done' });
  });

  it('D21 one signal for fifty acquires, and fifty listeners to one lease: no warning of a leak', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    try {
      const { locks } = await stage.it.readyActor();
      const { signal } = new AbortController();
      const listening = vi.spyOn(signal, 'addEventListener');
      const leases = await Promise.all(
        Array.from({ length: 50 }, () => locks.acquire(stage.name(), { signal, waitMs: 1_000 })),
      );
      // However many waited, it had one listener at a time.
      expect(listening.mock.calls.length).toBeLessThan(50);
      for (let i = 0; i < 50; i++) leases[0]!.signal.addEventListener('abort', () => {});
      await Promise.all(leases.map((lease) => lease.release()));
      await new Promise(setImmediate);
      expect(warned).not.toHaveBeenCalled();
    } finally {
      process.off('warning', warned);
    }
  });

  it('D44 the failed release of a resumed lease is repeated in the background, too', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor();
    const json = await (await locks.acquire(name)).handOver();
    const lease = await locks.resume(json);
    faults.on('UpdateItem').times(3).throttle();
    await lease[Symbol.asyncDispose]();
    await until('it is free', async () => (await stage.it.item(name))?.leaseId === undefined);
  });

  it('D38 a call inside of the work is told that it waits for itself', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await locks.withLock(name, async () => {
      const inner = await locks.acquire(name).catch((error: unknown) => error);
      expect(inner).toBeInstanceOf(LockHeldError);
      expect(inner).toMatchObject({ heldHere: true, message: expect.stringContaining('this very client') });
    });
  });
});
