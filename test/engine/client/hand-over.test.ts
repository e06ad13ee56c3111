import { describe, expect, it } from 'vitest';
import type { HandedOver, Lease } from '../../../lib/lease/index.js';
import { above } from '../../support/above.js';
import { engines } from '../../support/engines.js';
import { EventLog } from '../../support/event-log.js';
import { restlessLease, shortLease } from '../../support/stage.js';
import { aWhile } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

/** As it goes from one state to the next. */
const sent = (handedOver: HandedOver): unknown => JSON.parse(JSON.stringify(handedOver));

const lost = (reason: string) => expect.objectContaining({ name: 'LockLostError', reason });

describe.each(engines)('handing a lease over, on %s', (engine) => {
  const stage = useStage({ engine });

  it('another process goes on with it: same name, same checkpoint, a higher token, nobody in between', async () => {
    using events = new EventLog();
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const lease = await a.locks.acquire(name, { group: 'g' });
    await lease.save({ page: 3 });
    const handedOver = await lease.handOver();
    expect(handedOver).toEqual({
      handOver: 1,
      name,
      leaseId: lease.leaseId,
      token: lease.token,
      owner: 'actor-0',
      expiresAt: (await stage.it.item(name))?.expiresAt,
      leaseMs: shortLease.leaseMs,
    });
    expect(await b.locks.tryAcquire(name)).toBeNull();
    const next = await b.locks.resume(sent(handedOver));
    expect(next).toMatchObject({
      name,
      token: above(lease.token),
      checkpoint: { page: 3 },
      owner: 'actor-1',
    });
    expect(next.leaseId).not.toBe(lease.leaseId);
    expect(next.takenOverFrom).toBeUndefined();
    expect(await stage.it.item(name)).toMatchObject({ group: 'g', owner: 'actor-1', renewals: 0 });
    await next.save({ page: 4 });
    expect(await next.release()).toBe('released');
    expect(events.of('handed-over', name)).toMatchObject([{ token: lease.token }]);
    expect(events.of('lost', name)).toEqual([]);
  });

  it('costs a write each', async () => {
    const { locks, meter } = await stage.it.readyActor();
    const lease = await locks.acquire(stage.name());
    const next = await locks.resume(await lease.handOver());
    await next.release();
    expect({ writes: meter.writes, total: meter.total }).toEqual({ writes: 4, total: 4 });
  });

  it('leaves nothing that runs, and nothing to be done with the old lease', async () => {
    const name = stage.name();
    const { locks, meter, clocks } = await stage.it.readyActor(restlessLease);
    const lease = await locks.acquire(name);
    await lease.handOver();
    expect(clocks.liveTimers).toBe(0);
    const before = await stage.it.item(name);
    meter.reset();
    expect(lease.isHeld).toBe(false);
    expect(lease.remainingMs).toBe(0);
    expect(() => lease.throwIfLost()).toThrow(/handed over/);
    expect(lease.signal.reason).toMatchObject({ name: 'UsageError' });
    const usage = expect.objectContaining({ name: 'UsageError' });
    await expect(lease.renew()).rejects.toEqual(usage);
    await expect(lease.save(1)).rejects.toEqual(usage);
    await expect(lease.complete(1)).rejects.toEqual(usage);
    await expect(lease.handOver()).rejects.toEqual(usage);
    // No error: it stands in a `finally`.
    expect(await lease.release()).toBe('handed-over');
    await lease[Symbol.asyncDispose]();
    await aWhile();
    expect(meter.total).toBe(0);
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('withLock and await using leave a lease alone that was handed over', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const first = await locks.withLock(name, (lease) => lease.handOver());
    expect(await stage.it.item(name)).toMatchObject({ leaseId: first.leaseId });
    const second = await (async () => {
      await using lease = await locks.resume(sent(first));
      return lease.handOver();
    })();
    expect(await stage.it.item(name)).toMatchObject({ leaseId: second.leaseId });
    await (await locks.resume(sent(second))).release();
  });

  it('lasts over a gap of the asked length, and no longer than the longest hold', async () => {
    const { locks } = await stage.it.readyActor();
    const long = await locks.acquire(stage.name());
    const { expiresAt } = await long.handOver({ leaseMs: 3_600_000 });
    expect(expiresAt).toBeGreaterThan(long.acquiredAt + 3_500_000);
    const capped = await locks.acquire(stage.name(), { maxHoldMs: 10_000 });
    const end = capped.acquiredAt + 10_000;
    expect((await capped.handOver({ leaseMs: 3_600_000 })).expiresAt).toBeLessThanOrEqual(end + 1);
    const name = stage.name();
    const short = await locks.acquire(name);
    const before = (await stage.it.item(name))!.expiresAt!;
    // It lasts longer than that already.
    expect((await short.handOver({ leaseMs: 1 })).expiresAt).toBeGreaterThan(before);
    const wrong = await locks.acquire(stage.name());
    for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(async () => wrong.handOver({ leaseMs })).rejects.toMatchObject({ name: 'UsageError' });
    }
    expect(wrong.isHeld).toBe(true);
    await wrong.release();
  });

  it('lasts past the end of the process’s own time, which the next one does not share', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name, { endsInMs: () => 1_000 });
    const handedOver = await lease.handOver();
    expect(handedOver).toMatchObject({ leaseMs: shortLease.leaseMs });
    expect(handedOver.expiresAt).toBeGreaterThan(lease.acquiredAt + 3_000);
  });

  it('waits for the write in flight, and drops none', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    faults.on('UpdateItem').once().delay({ beforeMs: 200 });
    const saving = lease.save('on its way');
    const handedOver = await lease.handOver();
    await saving;
    const next = await locks.resume(sent(handedOver));
    expect(next.checkpoint).toBe('on its way');
    await next.release();
  });

  it('a store that does not answer: the lease goes on here, and can be handed over later', async () => {
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const lease = await locks.acquire(stage.name());
    faults.on('UpdateItem').once().dropAnswer();
    await expect(lease.handOver()).rejects.toMatchObject({ name: 'StoreError' });
    expect(lease.isHeld).toBe(true);
    const next = await locks.resume(await lease.handOver());
    await next.release();
  });

  it('C01 a lease that is lost is not handed over', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    await locks.break(name, lease.leaseId);
    await expect(lease.handOver()).rejects.toEqual(lost('broken'));
    const given = await locks.acquire(name);
    await given.release();
    await expect(given.handOver()).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('what was called first wins, a release or the hand-over; never both', async () => {
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const lease = await locks.acquire(stage.name());
    expect(await Promise.allSettled([lease.handOver(), lease.release()])).toMatchObject([
      { value: { handOver: 1 } },
      { value: 'handed-over' },
    ]);
    const other = await locks.acquire(stage.name());
    expect(await Promise.allSettled([other.release(), other.handOver()])).toMatchObject([
      { value: 'released' },
      { reason: { name: 'UsageError' } },
    ]);
    const third = await locks.acquire(stage.name());
    faults.on('UpdateItem').once().dropRequest();
    expect(await Promise.allSettled([third.handOver(), third.release()])).toMatchObject([
      { reason: { name: 'StoreError' } },
      { value: 'released' },
    ]);
  });
});

describe.each(engines)('going on with a lease that was handed over, on %s', (engine) => {
  const stage = useStage({ engine, leasesLeft: true });

  /** A lease that is on its way, and who handed it over. */
  const onItsWay = async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    return { name, lease, json: sent(await lease.handOver()) };
  };

  it('I2 the same JSON twice: the later one goes on, the earlier one is told and its token is refused', async () => {
    using events = new EventLog();
    const { name, lease, json } = await onItsWay();
    const first = await (await stage.it.readyActor()).locks.resume(json);
    await first.save('by the first');
    const second = await (await stage.it.readyActor()).locks.resume(json);
    expect(second).toMatchObject({ token: above(lease.token), checkpoint: 'by the first' });
    expect(second.takenOverFrom).toMatchObject({ token: first.token, leaseId: first.leaseId });
    const before = await stage.it.item(name);
    await expect(first.save('too late')).rejects.toEqual(lost('taken-over'));
    expect(await first.release()).toBe('lost');
    expect(await stage.it.item(name)).toEqual(before);
    expect(events.of('lost', name)).toHaveLength(1);
    await second.release();
  });

  it('I2 the same JSON by many at once: one token each, and only one of them is left', async () => {
    const { name, lease, json } = await onItsWay();
    const actors = await Promise.all(Array.from({ length: 8 }, () => stage.it.readyActor()));
    const outcomes = await Promise.allSettled(actors.map(({ locks }) => locks.resume(json)));
    const leases = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    for (const one of outcomes) {
      if (one.status === 'rejected') expect(one.reason).toEqual(lost('taken-over'));
    }
    const tokens = leases.map(({ token }) => token).sort((a, b) => a - b);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(tokens[0]).toBeGreaterThan(lease.token);
    const renewals = await Promise.allSettled(leases.map((one) => one.renew()));
    const left = leases.filter((_, i) => renewals[i]?.status === 'fulfilled');
    expect(left.map(({ token }) => token)).toEqual([tokens.at(-1)]);
    expect((await stage.it.item(name))?.version).toBe(tokens.at(-1));
  });

  it('C07 a write whose answer was lost is found again, without a second token', async () => {
    const { name, lease, json } = await onItsWay();
    const { locks, faults } = await stage.it.readyActor();
    faults.on('UpdateItem').once().dropAnswer();
    const next = await locks.resume(json);
    expect(next.token).toBeGreaterThan(lease.token);
    expect((await stage.it.item(name))?.version).toBe(next.token);
    await next.release();
  });

  it('C07 one whose answer was lost for good is not given back: the retry of the state goes on', async () => {
    const { name, lease, json } = await onItsWay();
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    faults.on('UpdateItem').once().dropAnswer();
    await expect(locks.resume(json)).rejects.toMatchObject({ name: 'StoreError', retryable: true });
    await aWhile();
    expect((await stage.it.item(name))?.version).toBeGreaterThan(lease.token);
    const next = await locks.resume(json);
    expect(next.token).toBeGreaterThan(lease.token);
    await next.release();
  });

  it('I4 a delayed duplicate of the write changes nothing, whatever came after', async () => {
    const { name, json } = await onItsWay();
    // No renewal changes the item meanwhile, however slow this machine is.
    const calm = { leaseMs: 120_000, renewEveryMs: 60_000 };
    const { locks, faults } = await stage.it.readyActor({ ...calm, requestTimeoutMs: 20_000 });
    faults.on('UpdateItem').once().duplicate({ afterMs: 300 });
    const first = await locks.resume(json, calm);
    const second = await locks.resume(json, calm);
    const before = await stage.it.item(name);
    await faults.settled();
    expect(await stage.it.item(name)).toEqual(before);
    expect(first.token).toBeLessThan(second.token);
    await second.release();
  });

  it('later than the lease ran: it goes on as long as nobody else has had the lock', async () => {
    const { name, lease, json } = await onItsWay();
    await stage.it.expire(name);
    const next = await (await stage.it.readyActor()).locks.resume(json);
    expect(next.token).toBeGreaterThan(lease.token);
    expect(next.isHeld).toBe(true);
    await next.release();
  });

  it.each([
    ['taken over', 'taken-over', (taken: Lease) => taken],
    ['taken over and released since', 'taken-over', (taken: Lease) => taken.release()],
  ])('I4 a lease that was %s is lost, and nothing is changed', async (_, reason, after) => {
    const { name, json } = await onItsWay();
    await stage.it.expire(name);
    const { locks } = await stage.it.readyActor();
    await after(await locks.acquire(name));
    const before = await stage.it.item(name);
    await expect(locks.resume(json)).rejects.toEqual(lost(reason));
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('I4 a lease that was broken on its way is lost, also when somebody has the lock by now', async () => {
    const { name, lease, json } = await onItsWay();
    const { locks } = await stage.it.readyActor();
    expect(await locks.break(name, lease.leaseId)).toBe(true);
    await expect(locks.resume(json)).rejects.toEqual(lost('broken'));
    await using other = await locks.acquire(name);
    await expect(locks.resume(json)).rejects.toEqual(lost('taken-over'));
    expect(other.isHeld).toBe(true);
  });

  it('I4 a later owner is not taken for an earlier attempt: its mark says whose it is', async () => {
    const { name, json } = await onItsWay();
    const { locks } = await stage.it.readyActor();
    const next = await locks.resume(json);
    await next.release();
    // Its item still carries what the resume before has written.
    await using other = await locks.acquire(name);
    expect(await stage.it.item(name)).toMatchObject({ resumes: expect.any(String) });
    await expect(locks.resume(json)).rejects.toEqual(lost('taken-over'));
    await other.renew();
  });

  it('I4 the same lease id under another token is not the lease that was handed over', async () => {
    const { name, lease, json } = await onItsWay();
    const item = (await stage.it.item(name))!;
    // As a duplicate of its acquire would leave it that arrived after others had the lock.
    await stage.it.put({ ...item, version: lease.token + 2 });
    const { locks } = await stage.it.readyActor();
    await expect(locks.resume(json)).rejects.toEqual(lost('taken-over'));
  });

  it('once the line has gone on, the older JSON is of no use', async () => {
    const { name, json } = await onItsWay();
    const { locks } = await stage.it.readyActor();
    const second = sent(await (await locks.resume(json)).handOver());
    const third = await locks.resume(second);
    await expect(locks.resume(json)).rejects.toEqual(lost('taken-over'));
    await third.release();
    await expect(locks.resume(second)).rejects.toEqual(lost('taken-over'));
    expect((await stage.it.item(name))?.leaseId).toBeUndefined();
  });

  it('I7 a name whose work is finished is not gone on with', async () => {
    const { json } = await onItsWay();
    const { locks } = await stage.it.readyActor();
    await (await locks.resume(json)).complete({ total: 1 });
    await expect(locks.resume(json)).rejects.toMatchObject({
      name: 'AlreadyCompletedError',
      result: { total: 1 },
    });
  });

  it('C10 an answer that comes when the lease is over is not handed out, and can be asked for again', async () => {
    const { lease, json } = await onItsWay();
    const { locks, clocks, faults } = await stage.it.readyActor();
    faults
      .on('UpdateItem')
      .once()
      .when(() => {
        clocks.pass(60_000);
        return true;
      })
      .delay({ afterMs: 1 });
    await expect(locks.resume(json)).rejects.toMatchObject({ name: 'StoreError', retryable: true });
    const next = await locks.resume(json);
    expect(next.token).toBeGreaterThan(lease.token);
    await next.release();
  });

  it('C17 aborted before, it sends nothing; the caller’s own reason comes out', async () => {
    const { json } = await onItsWay();
    const { locks, meter } = await stage.it.readyActor();
    const reason = new Error('the caller’s own');
    await expect(locks.resume(json, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(meter.total).toBe(0);
  });

  it('takes the terms that the lease had, or others', async () => {
    const { name, json } = await onItsWay();
    const { locks } = await stage.it.readyActor({ leaseMs: 60_000 });
    const next = await locks.resume(json);
    expect((await stage.it.item(name))?.leaseMs).toBe(shortLease.leaseMs);
    const again = await locks.resume(sent(await next.handOver()), { leaseMs: 9_000, owner: 'me' });
    expect(await stage.it.item(name)).toMatchObject({ leaseMs: 9_000, owner: 'me' });
    await again.release();
  });
});

describe('what is no lease on its way', () => {
  const stage = useStage();

  const right = {
    handOver: 1,
    name: 'x',
    leaseId: 'id',
    token: 7,
    owner: 'o',
    expiresAt: 1,
    leaseMs: 4_000,
  };
  const wrong: readonly (readonly [field: string, values: readonly unknown[]])[] = [
    ['handOver', [undefined, 2, '1', true]],
    ['name', [undefined, '', 7, {}, 'a\u0000b', 'x'.repeat(1_025), '\ud800']],
    ['leaseId', [undefined, '', 5, 'a b', 'x'.repeat(65), 'é', []]],
    ['token', [undefined, 0, -1, 1.5, '7', Number.MAX_SAFE_INTEGER + 1, null, {}]],
    ['owner', [undefined, 5, {}]],
    ['expiresAt', [undefined, 'soon', 0, 1.5, null]],
    ['leaseMs', [undefined, 0, -5, '4000', null, 1e15, Number.NaN, [4_000]]],
  ];

  it.each(wrong.flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    '%s: %j is a UsageError, before any request',
    async (field, value) => {
      const { locks, meter } = stage.it.actor();
      await expect(locks.resume({ ...right, [field]: value })).rejects.toMatchObject({ name: 'UsageError' });
      expect(meter.total).toBe(0);
    },
  );

  it.each([undefined, null, 7, 'text', [], [right], () => right, true])(
    '%j is a UsageError, before any request',
    async (json) => {
      const { locks, meter } = stage.it.actor();
      await expect(locks.resume(json)).rejects.toMatchObject({ name: 'UsageError' });
      expect(meter.total).toBe(0);
    },
  );

  it('a lease that never was is lost, and makes no item', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await expect(locks.resume({ ...right, name })).rejects.toEqual(lost('broken'));
    expect(await stage.it.item(name)).toBeUndefined();
  });
});
