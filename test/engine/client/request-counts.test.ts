import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { patientLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

describe('I8: what a lock costs, by counting requests', () => {
  const stage = useStage();

  it('I8 the first request of a client is one ping, then a cycle is exactly two writes and no read', async () => {
    const { locks, meter } = stage.it.actor(patientLease);
    const first = await locks.acquire(stage.name());
    await first.release();
    expect(meter.operations).toEqual({ GetItem: 1, UpdateItem: 2 });
    meter.reset();
    for (let cycle = 0; cycle < 5; cycle++) {
      const lease = await locks.acquire(stage.name());
      await lease.release();
    }
    expect(meter).toMatchObject({ reads: 0, writes: 10, total: 10 });
  });

  it('I8 however many locks a new client takes at once, it asks for the time once', async () => {
    const { locks, meter } = stage.it.actor(patientLease);
    const leases = await Promise.all(Array.from({ length: 20 }, () => locks.acquire(stage.name())));
    expect(meter.operations).toEqual({ GetItem: 1, UpdateItem: 20 });
    for (const lease of leases) await lease.release();
  });

  it('C17 who aborts while the time is asked for takes it away from nobody else', async () => {
    const { locks, meter, faults } = stage.it.actor();
    const slow = faults.on('GetItem').once().delay({ beforeMs: 100 });
    const abort = new AbortController();
    const [first, second] = [
      locks.acquire(stage.name(), { signal: abort.signal }),
      locks.acquire(stage.name()),
    ];
    await slow.reached();
    abort.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await (await second).release();
    expect(meter.operations).toEqual({ GetItem: 1, UpdateItem: 2 });
  });

  it('C17 when all who need the time have aborted it is not asked for any longer', async () => {
    const { locks, meter, faults } = stage.it.actor({ maxAttempts: 1 });
    const hung = faults.on('GetItem').once().hang();
    const abort = new AbortController();
    const { signal } = abort;
    const acquiring = [1, 2].map(() =>
      locks.acquire(stage.name(), { signal }).catch((error) => error.message),
    );
    await hung.reached();
    abort.abort(new Error('enough'));
    expect(await Promise.all(acquiring)).toEqual(['enough', 'enough']);
    await faults.settled();
    // Whoever comes next does not wait for what was given up.
    await (await locks.acquire(stage.name())).release();
    expect(meter.operations).toEqual({ GetItem: 2, UpdateItem: 2 });
  });

  it('I8 a refused try is exactly one write', async () => {
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const other = await stage.it.readyActor();
    await using _lease = await holder.locks.acquire(name);
    expect(await other.locks.tryAcquire(name)).toBeNull();
    const reads = stage.it.dynamo.capabilities.refusedItem ? 0 : 1;
    expect(other.meter).toMatchObject({ writes: 1, reads });
  });

  it('I8 saving a checkpoint is one write, and takes the place of the heartbeat', async () => {
    const { locks, meter } = await stage.it.readyActor();
    await using lease = await locks.acquire(stage.name());
    meter.reset();
    await lease.save({ done: 1 });
    await lease.save({ done: 2 });
    expect(meter).toMatchObject({ writes: 2, reads: 0 });
  });

  it('I8 a waiter reads, and writes only when it may win', async () => {
    using events = new EventLog();
    const name = stage.name();
    const holder = await stage.it.readyActor();
    const waiter = await stage.it.readyActor();
    const lease = await holder.locks.acquire(name);
    const waiting = waiter.locks.acquire(name, { waitMs: 60_000 });
    await events.next('held', name);
    // Some reads go by while it is held; none of them is followed by a write.
    while (waiter.meter.reads < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(waiter.meter.writes).toBe(1);
    await lease.release();
    const next = await waiting;
    expect(waiter.meter.writes).toBe(2);
    await next.release();
  });

  it('I8 a process never contends with itself: its callers queue in memory', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const tokens: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, () =>
        locks.withLock(name, (lease) => tokens.push(lease.token), { waitMs: 60_000 }),
      ),
    );
    expect(meter).toMatchObject({ writes: 40, reads: 0 });
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
  });
});
