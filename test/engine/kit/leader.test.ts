import { describe, expect, it } from 'vitest';
import { useStage } from '../../support/use-stage.js';

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

describe('a leader', () => {
  const stage = useStage({ leasesLeft: true });

  it('is one of many; when its work returns its call ends, and the next leads', async () => {
    const name = stage.name();
    const actors = await Promise.all([1, 2, 3].map(() => stage.it.readyActor()));
    const led: number[] = [];
    await Promise.all(
      actors.map(({ locks }, i) =>
        locks.lead(name, async (lease) => {
          expect(await locks.leader(name)).toMatchObject({ token: lease.token });
          led.push(i);
        }),
      ),
    );
    expect([...led].sort()).toEqual([0, 1, 2]);
    expect(await actors[0]!.locks.leader(name)).toBeUndefined();
  });

  it('campaigns again after a loss, under a higher token', async () => {
    const name = stage.name();
    const operator = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor({ renewEveryMs: 100 });
    const tokens: number[] = [];
    const result = await locks.lead(name, async (lease, { signal }) => {
      tokens.push(lease.token);
      if (tokens.length === 2) return 'second term';
      await operator.locks.break(name, lease.leaseId);
      await aborted(signal);
      return 'first term';
    });
    expect(result).toBe('second term');
    expect(tokens[1]).toBeGreaterThan(tokens[0]!);
  });

  it('throws the error of its work, and releases first', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const mine = new Error('mine');
    await expect(locks.lead(name, () => Promise.reject(mine))).rejects.toBe(mine);
    expect(await locks.inspect(name)).toMatchObject({ state: 'free' });
  });

  it('ends with the caller’s signal, released first, while it leads and while it campaigns', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const controller = new AbortController();
    const { signal: end } = controller;
    const stops = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      await aborted(signal);
      signal.throwIfAborted();
    };
    const leading = a.locks.lead(name, stops, { signal: end });
    await expect.poll(() => a.locks.leader(name)).toBeDefined();
    const campaign = b.locks.lead(name, () => 'never', { signal: end });
    await expect.poll(() => b.meter.writes).toBe(1);
    controller.abort('closing');
    for (const ended of await Promise.allSettled([leading, campaign])) {
      expect(ended).toEqual({ status: 'rejected', reason: 'closing' });
    }
    expect(await a.locks.inspect(name)).toMatchObject({ state: 'free' });
  });

  it('steps down when somebody asks, and another leads without waiting for a lease to end', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor({ renewEveryMs: 100 });
    const b = await stage.it.readyActor();
    const end = new AbortController();
    const first = a.locks.lead(name, (_, { signal }) => aborted(signal), { signal: end.signal });
    await expect.poll(() => a.locks.leader(name)).toBeDefined();
    const leader = (await a.locks.leader(name))!;
    const second = b.locks.lead(name, (lease) => lease.takenOverFrom ?? 'released');
    expect(await b.locks.requestRelease(name, leader.leaseId!, { reason: 'deployment' })).toBe(true);
    expect(await second).toBe('released');
    end.abort('over');
    await expect(first).rejects.toBe('over');
  });
});
