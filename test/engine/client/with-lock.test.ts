import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { useStage } from '../../support/use-stage.js';

describe('withLock', () => {
  const stage = useStage();

  const free = async (name: string) => (await stage.it.item(name))?.leaseId === undefined;

  it('gives the work’s result, and the lock back', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    expect(await locks.withLock(name, async (lease) => lease.token > 0)).toBe(true);
    expect(await free(name)).toBe(true);
  });

  it('C26 an error thrown by the work comes out unchanged, and the lock is given back', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const error = Object.freeze(new Error('the work’s own'));
    const work = () => Promise.reject(error);
    await expect(locks.withLock(name, work)).rejects.toBe(error);
    const thrown = () => {
      throw 'not even an Error';
    };
    await expect(locks.withLock(name, thrown)).rejects.toBe('not even an Error');
    expect(await free(name)).toBe(true);
  });

  it('C26 a release that fails never hides the work’s error nor its result; it is told', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ maxAttempts: 1 });
    const error = new Error('the work’s own');
    const cut = () => faults.always({ kind: 'drop-request' });
    const failing = locks.withLock(name, () => {
      cut();
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(events.of('release-failed', name)).toMatchObject([{ error: { name: 'StoreError' } }]);
    faults.clear();
    const other = stage.name();
    const done = await locks.withLock(other, () => {
      cut();
      return 'result';
    });
    expect(done).toBe('result');
    expect(events.of('release-failed', other)).toHaveLength(1);
    faults.clear();
  });

  it('C26 work that fails under a lost lease: its own error, with the loss at the end of its causes', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const error = new Error('outer', { cause: new Error('inner') });
    const working = locks.withLock(name, async (lease) => {
      await locks.break(name, lease.leaseId);
      await lease.renew().catch(() => {});
      throw error;
    });
    await expect(working).rejects.toBe(error);
    expect(error.cause).toMatchObject({
      message: 'inner',
      cause: { name: 'LockLostError', reason: 'broken' },
    });
  });

  it('work that ends well under a lease that was lost is a LockLostError with the result', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const working = locks.withLock(name, async (lease) => {
      await locks.break(name, lease.leaseId);
      await lease.renew().catch(() => {});
      return 42;
    });
    await expect(working).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken', result: 42 });
  });

  it('work that ends well under a lease whose loss only its release finds is a LockLostError with the result', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const working = locks.withLock(name, async (lease) => {
      await locks.break(name, lease.leaseId);
      return 42;
    });
    await expect(working).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken', result: 42 });
  });

  it('work that completed or released its own lease is fine', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    expect(await locks.withLock(name, (lease) => lease.release())).toBe('released');
    expect(await locks.withLock(name, (lease) => lease.complete('r').then(() => 1))).toBe(1);
    expect(meter.writes).toBe(4);
  });

  it('C28 a release that is throttled beyond all attempts is repeated in the background: the lease need not run out', async () => {
    using events = new EventLog();
    const name = stage.name();
    const longLease = { leaseMs: 60_000, renewEveryMs: 20_000, safetyMarginMs: 1_000 };
    const { locks, faults } = await stage.it.readyActor({ ...longLease, maxAttempts: 1 });
    const throttled = faults.on('UpdateItem').skip(1).times(3).throttle();
    expect(await locks.withLock(name, () => 'result')).toBe('result');
    expect(events.of('release-failed', name)).toHaveLength(1);
    await throttled.reached(3);
    while (!(await free(name))) await new Promise((resolve) => setTimeout(resolve, 10));
    await using again = await locks.acquire(name);
    expect(events.of('granted', name)[1]).toMatchObject({ token: again.token, takenOverFrom: undefined });
  });

  it('C28 a release is bounded in time when the store is down', async () => {
    const name = stage.name();
    const { locks, faults } = await stage.it.readyActor({ config: { requestHandler: {} } });
    const lease = await locks.acquire(name);
    faults.always({ kind: 'hang' });
    await expect(lease.release()).rejects.toMatchObject({ name: 'StoreError' });
    faults.clear();
    expect(await lease.release()).toBe('released');
    expect(await free(name)).toBe(true);
  });

  it('C29 aborting the work still releases, and the caller’s reason comes out', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const abort = new AbortController();
    const reason = new Error('the caller’s own');
    const working = locks.withLock(
      name,
      async () => {
        abort.abort(reason);
        abort.signal.throwIfAborted();
      },
      { signal: abort.signal },
    );
    await expect(working).rejects.toBe(reason);
    expect(await free(name)).toBe(true);
    const ended = locks.withLock(name, () => 1, { signal: abort.signal });
    await expect(ended).rejects.toBe(reason);
  });

  it('C32 a loss that nobody looks at crashes nothing', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { locks } = await stage.it.readyActor({ renewEveryMs: 50 });
    const lease = await locks.acquire(name);
    await locks.break(name, lease.leaseId);
    await events.next('lost', name);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lease.isHeld).toBe(false);
  });
});
