import { describe, expect, it } from 'vitest';
import type { PermitOptions } from '../../../lib/kit/semaphore.js';
import { useStage } from '../../support/use-stage.js';

describe('a semaphore', () => {
  const stage = useStage();

  it('gives as many permits as it has, each a lease of its own, and no more', async () => {
    const name = stage.name();
    const actors = await Promise.all([1, 2, 3].map(() => stage.it.readyActor()));
    const permits = await Promise.all(
      actors.map(({ locks }) => locks.semaphore(name, { permits: 3 }).acquire({ waitMs: 30_000 })),
    );
    expect(permits.map((lease) => lease.name).sort()).toEqual([`${name}#0`, `${name}#1`, `${name}#2`]);
    const late = await stage.it.readyActor();
    const semaphore = late.locks.semaphore(name, { permits: 3 });
    expect(await semaphore.tryAcquire()).toBeNull();
    await expect(semaphore.acquire()).rejects.toMatchObject({ name: 'LockHeldError', lockName: name });
    expect(await semaphore.inspect()).toMatchObject({ permits: 3, free: 0 });
    await permits[1]!.release();
    const freed = await semaphore.acquire({ waitMs: 30_000 });
    expect(freed.name).toBe(permits[1]!.name);
    expect(freed.token).toBeGreaterThan(permits[1]!.token);
    for (const lease of [permits[0]!, permits[2]!, freed]) await lease.release();
  });

  it('I8 costs two writes and no read when it is not crowded', async () => {
    const { locks, meter } = await stage.it.readyActor();
    const lease = await locks.semaphore(stage.name(), { permits: 5 }).acquire();
    await lease.release();
    expect({ writes: meter.writes, reads: meter.reads }).toEqual({ writes: 2, reads: 0 });
  });

  it('costs one batch read and one write more when the first permit is held, and a wait costs no write', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const held = await a.locks.semaphore(name, { permits: 2 }).acquire({ owner: 'x' });
    const other = await b.locks.semaphore(name, { permits: 2 }).acquire({ owner: 'x' });
    expect(b.meter.operations).toEqual({ UpdateItem: 2, BatchGetItem: 1 });
    b.meter.reset();
    const c = await stage.it.readyActor();
    const waiting = c.locks.semaphore(name, { permits: 2 }).acquire({ waitMs: 10_000, owner: 'x' });
    await expect.poll(() => c.meter.reads).toBeGreaterThan(3);
    expect(c.meter.writes).toBe(1);
    await held.release();
    await (await waiting).release();
    expect(c.meter.writes).toBe(3);
    await other.release();
  });

  it('gives the permit of a holder that crashed to the next, and passes over one that is completed', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const done = await a.locks.semaphore(name, { permits: 2 }).acquire();
    await done.complete('out of use');
    const crashed = await a.locks.semaphore(name, { permits: 2 }).acquire();
    await stage.it.expire(crashed.name);
    const lease = await b.locks.semaphore(name, { permits: 2 }).acquire({ waitMs: 30_000 });
    expect(lease.name).toBe(crashed.name);
    expect(lease.token).toBeGreaterThan(crashed.token);
    await lease.release();
    await crashed[Symbol.asyncDispose]();
  });

  it('looks first where chance has it, or for an owner that is named always at the same permit, and then by chance', async () => {
    const { locks } = await stage.it.readyActor();
    const semaphore = locks.semaphore(stage.name(), { permits: 4 });
    /** The permits that a dozen calls get which come one after the other. */
    const got = async (options: PermitOptions) => {
      const names = new Set<string>();
      for (let call = 0; call < 12; call++) {
        const lease = await semaphore.acquire(options);
        names.add(lease.name);
        await lease.release();
      }
      return names.size;
    };
    expect(await got({})).toBeGreaterThan(1);
    expect(await got({ owner: 'x' })).toBe(1);
    await using _first = await semaphore.acquire({ owner: 'x' });
    expect(await got({ owner: 'x' })).toBeGreaterThan(1);
  });

  it('lets a retried worker supersede its own earlier permit', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor({ owner: 'task-7' });
    const b = await stage.it.readyActor({ owner: 'task-7' });
    const first = await a.locks.semaphore(name, { permits: 4 }).acquire();
    const again = await b.locks.semaphore(name, { permits: 4 }).acquire({ supersede: true });
    expect(again.name).toBe(first.name);
    expect(again.token).toBeGreaterThan(first.token);
    await again.release();
    await first[Symbol.asyncDispose]();
  });

  it('gives a permit that can be handed over, and gone on with by its name', async () => {
    const name = stage.name();
    const [a, b] = await Promise.all([1, 2].map(() => stage.it.readyActor()));
    const permit = await a!.locks.semaphore(name, { permits: 1 }).acquire();
    const handedOver = await permit.handOver();
    const resumed = await b!.locks.resume(handedOver);
    expect(resumed.token).toBeGreaterThan(permit.token);
    expect(await b!.locks.semaphore(name, { permits: 1 }).tryAcquire()).toBeNull();
    await resumed.release();
  });

  it('runs work under a permit and releases it, whatever becomes of the work', async () => {
    const { locks } = await stage.it.readyActor();
    const semaphore = locks.semaphore(stage.name(), { permits: 1 });
    expect(await semaphore.withPermit(async (lease) => lease.isHeld)).toBe(true);
    const broken = new Error('mine');
    await expect(semaphore.withPermit(() => Promise.reject(broken))).rejects.toBe(broken);
    expect(await semaphore.inspect()).toMatchObject({ free: 1, held: [] });
  });

  it.each([0, 1.5, 101, Number.NaN, '5' as unknown as number])(
    'refuses %s permits by name',
    async (permits) => {
      const { locks } = stage.it.actor();
      expect(() => locks.semaphore('x', { permits })).toThrow(/^permits: /);
    },
  );

  it('ends a wait with the signal, and its own reason', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await using _held = await a.locks.semaphore(name, { permits: 1 }).acquire();
    const controller = new AbortController();
    const waiting = b.locks
      .semaphore(name, { permits: 1 })
      .acquire({ waitMs: 60_000, signal: controller.signal });
    await expect.poll(() => b.meter.reads).toBeGreaterThan(0);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
  });
});
