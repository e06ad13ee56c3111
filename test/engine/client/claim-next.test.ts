import { describe, expect, it } from 'vitest';
import { above } from '../../support/above.js';
import { useStage } from '../../support/use-stage.js';

describe('claimNext', () => {
  const stage = useStage();

  const names = (count: number) => Array.from({ length: count }, () => stage.name());

  it('gives the first that is free, in the given order, at one write for each that is tried', async () => {
    const [held, done, free, alsoFree] = names(4) as [string, string, string, string];
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await using _held = await a.locks.acquire(held);
    await a.locks.once(done, () => 'finished');
    const lease = await b.locks.claimNext([held, done, free, alsoFree]);
    expect(lease?.name).toBe(free);
    expect(b.meter.writes).toBe(3);
    expect(await stage.it.item(alsoFree)).toBeUndefined();
    await lease?.release();
  });

  it('is null when none is free, and takes one whose lease has run out', async () => {
    const [first, second] = names(2) as [string, string];
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const leases = [await a.locks.acquire(first), await a.locks.acquire(second)];
    expect(await b.locks.claimNext([first, second])).toBeNull();
    expect(await b.locks.claimNext([])).toBeNull();
    await stage.it.expire(second);
    const lease = await b.locks.claimNext([first, second]);
    expect(lease).toMatchObject({ name: second, token: above(leases[1]!.token) });
    await lease?.release();
    for (const old of leases) await old[Symbol.asyncDispose]();
  });

  it('is null when the caller’s own time runs out before a free one is found', async () => {
    const [held, free] = names(2) as [string, string];
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    await using _held = await a.locks.acquire(held);
    // Over with the first write.
    const endsInMs = () => (b.meter.writes > 0 ? -1 : 60_000);
    expect(await b.locks.claimNext([held, free], { endsInMs })).toBeNull();
    expect(await stage.it.item(free)).toBeUndefined();
  });

  it('many at the same time share the names out: everybody gets another one', async () => {
    const list = names(12);
    const actors = await Promise.all(Array.from({ length: 4 }, () => stage.it.readyActor()));
    const claims = actors.flatMap(({ locks }) => [1, 2, 3].map(() => locks.claimNext(list)));
    const leases = await Promise.all(claims);
    expect(new Set(leases.map((lease) => lease?.name))).toEqual(new Set(list));
    expect(await actors[0]!.locks.claimNext(list)).toBeNull();
    for (const lease of leases) await lease?.release();
  });

  it('what this process holds itself costs no request', async () => {
    const [held, free] = names(2) as [string, string];
    const { locks, meter } = await stage.it.readyActor();
    await using _held = await locks.acquire(held);
    meter.reset();
    const lease = await locks.claimNext([held, free, held]);
    expect(lease?.name).toBe(free);
    expect(meter.total).toBe(1);
    await lease?.release();
  });

  it('checks all names before the first request', async () => {
    const { locks, meter } = stage.it.actor();
    await expect(locks.claimNext([stage.name(), ''])).rejects.toMatchObject({ name: 'UsageError' });
    await expect(locks.claimNext('not-a-list')).rejects.toMatchObject({ name: 'UsageError' });
    expect(meter.total).toBe(0);
  });
});
