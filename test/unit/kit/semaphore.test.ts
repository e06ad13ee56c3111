import { describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { EventLog } from '../../support/event-log.js';
import { denial, kitScene, trouble } from '../../support/kit/kit-scene.js';

usePlainAbort();

const minute = 60_000;
const api = (locks: LockClient, permits = 1) => locks.semaphore('api', { permits });

/** Permits that others hold, each by an owner of its own, for as long as each is given. */
async function held(scene: ReturnType<typeof kitScene>, leasesMs: readonly number[]) {
  const leases = [];
  for (const [i, leaseMs] of leasesMs.entries()) {
    leases.push(
      await scene.world.until(
        api(scene.locks(`holder-${i}`), leasesMs.length).acquire({ leaseMs, waitMs: minute }),
      ),
    );
  }
  return leases;
}

describe('a semaphore', () => {
  it('is called by its name, and refuses by name what it does not take', async () => {
    const { locks, failure } = kitScene();
    const semaphore = api(locks('own'), 100);
    expect(semaphore).toMatchObject({ name: 'api', permits: 100 });
    expect(() => api(locks('own'), 101)).toThrow('permits: must be a whole number from 1 to 100, got 101');
    expect((await failure(semaphore.acquire({ wait: 1 } as never))).message).toMatch(/^acquire: /);
    expect((await failure(semaphore.withPermit('x' as never))).message).toMatch(/^withPermit: /);
    expect((await failure(semaphore.tryAcquire({ leaseMs: 1 }))).name).toBe('UsageError');
  });

  it('gives a permit under the terms that were asked for, and tells of it', async () => {
    using log = new EventLog();
    const scene = kitScene();
    const [other] = await held(scene, [minute]);
    scene.after_ms(1_000, () => other!.release());
    const waiting = api(scene.locks('own')).acquire({ owner: 'me', leaseMs: 7_000, waitMs: minute });
    const lease = await scene.world.until(waiting);
    const { token, leaseId } = lease;
    expect(scene.world.items.get('api#0')).toMatchObject({ owner: { S: 'me' }, leaseMs: { N: '7000' } });
    const told = log.of('permit-granted').filter(({ owner }) => owner === 'me');
    expect(told).toEqual([
      { name: 'api', owner: 'me', token, leaseId, permit: 'api#0', waitedMs: expect.any(Number) },
    ]);
    expect(told[0]!.waitedMs).toBeGreaterThan(1_000);
    await scene.world.until(lease.release());
    const tried = await scene.world.until(api(scene.locks('own')).tryAcquire({ owner: 'you' }));
    expect(tried).toMatchObject({ owner: 'you' });
  });

  it('shows who has its permits: whoever holds one, or has completed it, or left it free for later', async () => {
    const scene = kitScene();
    const locks = scene.locks('own');
    const all = api(locks, 4);
    const [a, b, c] = await scene.world.until(
      (async () => [await all.acquire(), await all.acquire(), await all.acquire({ minHoldMs: minute })])(),
    );
    await scene.world.until(b!.complete('done'));
    await scene.world.until(c!.release());
    const { permits, free, held: shown } = await scene.world.until(all.inspect());
    expect({ permits, free }).toEqual({ permits: 4, free: 1 });
    expect(shown.map(({ name, state }) => [name, state]).sort()).toEqual(
      [
        [a!.name, 'held'],
        [b!.name, 'completed'],
        [c!.name, 'free'],
      ].sort(),
    );
    const signal = AbortSignal.abort(new Error('enough'));
    expect(await scene.failure(all.inspect({ signal }))).toMatchObject({ message: 'enough' });
  });

  it('begins for an owner always at the same permit, and spreads owners whose labels differ anywhere', async () => {
    const scene = kitScene();
    const first = async (owner: string, permits: number) => {
      const lease = await scene.world.until(api(scene.locks('own'), permits).acquire({ owner }));
      await scene.world.until(lease.release());
      return lease.name;
    };
    for (const label of [
      (i: number) => `worker-${i}`,
      (i: number) => `${i}-worker`,
      (i: number) => `w${i}.eu-central-1`,
    ]) {
      for (const permits of [2, 3, 4, 10]) {
        const labels = Array.from({ length: 10 }, (_, i) => label(i));
        const names: string[] = [];
        for (const own of labels) names.push(await first(own, permits));
        expect(new Set(names).size).toBeGreaterThanOrEqual(Math.min(permits, 5));
        expect(await first(labels[3]!, permits)).toBe(names[3]);
      }
    }
  });

  it('begins anywhere for who has no owner of its own', async () => {
    const scene = kitScene();
    const firsts: string[] = [];
    for (let call = 0; call < 60; call++) {
      const lease = await scene.world.until(api(scene.locks('own'), 4).acquire());
      firsts.push(lease.name);
      await scene.world.until(lease.release());
    }
    for (const name of ['api#0', 'api#1', 'api#2', 'api#3'])
      expect(firsts.filter((first) => first === name).length).toBeGreaterThan(4);
    // Each was had with its first write: there is no fifth.
    expect(scene.writesOf('own')).toBe(120);
  });

  it('tries all that are free, each as likely first as any other', async () => {
    const scene = kitScene();
    const locks = scene.locks('own');
    scene.before = async ({ operation }) => {
      if (operation === 'UpdateItemCommand') throw trouble();
    };
    const firsts = new Map<string, number>();
    for (let call = 0; call < 60; call++) {
      scene.asked.length = 0;
      await scene.failure(api(locks, 4).acquire());
      const tried = scene.asked
        .filter(({ operation }) => operation === 'UpdateItemCommand')
        .map(({ key }) => key);
      // The first by chance, unseen; then by sight.
      expect(tried.slice(1).sort()).toEqual(['api#0', 'api#1', 'api#2', 'api#3']);
      const [, bySight] = scene.asked.filter(({ operation }) => operation === 'UpdateItemCommand');
      firsts.set(bySight!.key, (firsts.get(bySight!.key) ?? 0) + 1);
    }
    expect(firsts.size).toBe(4);
    for (const times of firsts.values()) expect(times).toBeGreaterThan(4);
  });

  it('passes over a permit that was completed since it was seen, and one that somebody else got', async () => {
    const scene = kitScene();
    const theirs = { format: { S: leaseFormat }, version: { N: '7' } };
    const kinds = [
      {
        ...theirs,
        leaseId: { S: 'x' },
        owner: { S: 'x' },
        expiresAt: { N: String(scene.world.nowMs + minute) },
      },
      { ...theirs, completedAt: { N: String(scene.world.nowMs) } },
    ];
    scene.before = async ({ operation, key }) => {
      const kind = operation === 'UpdateItemCommand' && kinds.pop();
      if (kind) scene.world.items.set(key, { name: { S: key }, ...kind });
    };
    const lease = await scene.world.until(api(scene.locks('own'), 3).acquire());
    expect(kinds).toEqual([]);
    expect(lease.isHeld).toBe(true);
    expect(scene.writesOf('own')).toBe(3);
  });
});

describe('whoever waits for a permit', () => {
  it.each<[string, { readonly waitMs: number; readonly endsInMs?: number }]>([
    ['waitMs', { waitMs: 5_000 }],
    ['endsInMs', { waitMs: minute, endsInMs: 5_000 }],
  ])('waits no longer than %s says', async (_, { waitMs, endsInMs }) => {
    const scene = kitScene();
    await held(scene, [minute]);
    const startMs = scene.world.nowMs;
    const own = endsInMs && {
      leaseMs: 30_000,
      endsInMs: () => startMs + endsInMs + 1_000 - scene.world.nowMs,
    };
    const error = await scene.failure(api(scene.locks('own')).acquire({ waitMs, ...own }));
    expect(error).toMatchObject({ name: 'LockHeldError', lockName: 'api' });
    expect(scene.world.nowMs - startMs).toBeGreaterThan(4_900);
    expect(scene.world.nowMs - startMs).toBeLessThan(6_100);
  });

  it('looks once more when the time is up: what came free in the last pause is had', async () => {
    const scene = kitScene();
    const [other] = await held(scene, [minute]);
    const calm = scene.locks('own', { pollFloorMs: 3_000, pollCeilingMs: 60_000 });
    scene.after_ms(4_900, () => other!.release());
    const lease = await scene.world.until(api(calm).acquire({ waitMs: 5_000 }));
    expect(lease.isHeld).toBe(true);
  });

  it('wakes when the lease of a holder that crashed is over, however far apart its looks are', async () => {
    const scene = kitScene();
    const { world } = scene;
    const dead = world.process('dead');
    await world.until(api(world.locks(dead)).acquire({ leaseMs: 10_000 }));
    dead.crash();
    const startMs = world.nowMs;
    const calm = scene.locks('own', { pollFloorMs: 20_000, pollCeilingMs: minute });
    await world.until(api(calm).acquire({ waitMs: 2 * minute }));
    expect(world.nowMs - startMs).toBeLessThan(13_000);
  });

  it('is told of the one that can be had first, and what went wrong last', async () => {
    const scene = kitScene();
    const leases = await held(scene, [30_000, 8_000, 60_000]);
    const names = leases.map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    const sooner = await scene.failure(api(scene.locks('own'), 3).acquire());
    const { token, leaseId } = leases[1]!;
    expect(sooner).toMatchObject({
      name: 'LockHeldError',
      holder: { owner: 'holder-1', token, leaseId, acquiredAt: expect.any(Number) },
      freeInMs: undefined,
      cause: undefined,
    });
    const { holder } = sooner as unknown as { holder: { remainingMs: number; acquiredAt: number } };
    expect(holder.remainingMs).toBeGreaterThan(6_000);
    expect(holder.remainingMs).toBeLessThanOrEqual(8_000);
    expect(holder.acquiredAt).toBeGreaterThan(scene.world.nowMs - 5_000);

    let looks = 0;
    scene.before = async ({ process, operation }) => {
      if (process === 'own' && operation === 'BatchGetItemCommand' && ++looks > 1) throw trouble();
    };
    const troubled = await scene.failure(api(scene.locks('own'), 3).acquire({ waitMs: 2_000 }));
    expect(troubled).toMatchObject({ holder: { owner: 'holder-1' }, cause: { name: 'StoreError' } });
  });

  it('is told when a permit will be free that is left free for later, and of no holder', async () => {
    const scene = kitScene();
    const other = api(scene.locks('other'));
    await scene.world.until(other.withPermit(() => {}, { minHoldMs: 20_000 }));
    const error = await scene.failure(api(scene.locks('own')).acquire());
    expect(error).toMatchObject({ name: 'LockHeldError', holder: undefined });
    expect(error.freeInMs).toBeGreaterThan(19_000);
    expect(error.freeInMs).toBeLessThan(22_000);
  });

  it('is told of the store, where that is all that it heard of, and of nothing that has passed', async () => {
    const scene = kitScene();
    const [other] = await held(scene, [minute]);
    scene.before = async ({ process }) => {
      if (process === 'own') throw trouble();
    };
    const startMs = scene.world.nowMs;
    const alone = await scene.failure(api(scene.locks('own')).acquire({ waitMs: 3_000 }));
    expect(alone).toMatchObject({ name: 'StoreError', retryable: true });
    expect(scene.world.nowMs - startMs).toBeGreaterThan(2_900);
    let troubles = 0;
    scene.before = async ({ process }) => {
      if (process === 'own' && troubles++ < 2) throw trouble();
    };
    const later = await scene.failure(api(scene.locks('own')).acquire({ waitMs: 3_000 }));
    expect(later).toMatchObject({ name: 'LockHeldError', holder: { owner: 'holder-0' } });
    scene.after_ms(1_000, () => other!.release());
    troubles = 0;
    expect(await scene.world.until(api(scene.locks('own')).acquire({ waitMs: minute }))).toBeDefined();
  });

  it('hears at once of trouble that does not pass, in a look as in a try', async () => {
    const scene = kitScene();
    await held(scene, [minute]);
    for (const wrong of [true, false]) {
      scene.before = async ({ process, operation }) => {
        if (process === 'own' && (operation === 'UpdateItemCommand') === wrong) throw denial();
      };
      const startMs = scene.world.nowMs;
      const error = await scene.failure(api(scene.locks('own')).acquire({ waitMs: minute }));
      expect(error).toMatchObject({ name: 'StoreError', retryable: false });
      expect(scene.world.nowMs - startMs).toBeLessThan(100);
    }
  });

  it('does not wait for a look that is not answered for longer than for a request, or its wait', async () => {
    const scene = kitScene();
    await held(scene, [minute]);
    const own = scene.locks('own', { requestTimeoutMs: 1_000, maxAttempts: 2 });
    await scene.world.until(own.inspect('x'));
    scene.before = ({ process, operation }) =>
      process === 'own' && operation !== 'UpdateItemCommand' ? new Promise(() => {}) : Promise.resolve();
    for (const [waitMs, maxMs] of [
      [0, 2_000],
      [7_000, 7_000],
    ] as const) {
      const startMs = scene.world.nowMs;
      const error = await scene.failure(api(own).acquire({ waitMs }));
      expect(error).toMatchObject({
        name: 'StoreError',
        retryable: true,
        mayHaveApplied: false,
        lockName: 'api',
      });
      expect(error.message).toBe('The permits of "api" were not all read in time');
      expect(scene.world.nowMs - startMs).toBeLessThan(maxMs + 300);
    }
    const caller = new AbortController();
    scene.after_ms(500, () => caller.abort(new Error('enough')));
    const startMs = scene.world.nowMs;
    const aborted = await scene.failure(api(own).acquire({ waitMs: minute, signal: caller.signal }));
    expect(aborted.message).toBe('enough');
    expect(scene.world.nowMs - startMs).toBeLessThan(600);
  });

  it('ends its pause with its signal', async () => {
    const scene = kitScene();
    await held(scene, [minute]);
    const caller = new AbortController();
    const calm = scene.locks('own', { pollFloorMs: 20_000, pollCeilingMs: minute });
    scene.after_ms(5_000, () => caller.abort(new Error('enough')));
    const startMs = scene.world.nowMs;
    const error = await scene.failure(api(calm).acquire({ waitMs: minute, signal: caller.signal }));
    expect(error.message).toBe('enough');
    expect(scene.world.nowMs - startMs).toBeLessThan(5_100);
  });

  it('is refused at once by a try, and by what an acquire of a lock takes and that of a permit does not', async () => {
    const scene = kitScene();
    await held(scene, [minute]);
    expect(
      await scene.world.until(api(scene.locks('own')).tryAcquire({ waitMs: minute } as never)),
    ).toBeNull();
    scene.asked.length = 0;
    const wrong = await scene.failure(
      api(scene.locks('own')).acquire({ change: { set: { x: 1 } } } as never),
    );
    expect(wrong.message).toMatch(/^acquire: /);
    expect(scene.asked).toEqual([]);
  });

  it('leaves a permit that ran out alone as long as its lock delay says, and knows when that is over', async () => {
    const scene = kitScene();
    const { world } = scene;
    const dead = world.process('dead');
    await world.until(api(world.locks(dead)).acquire({ leaseMs: 10_000 }));
    dead.crash();
    const startMs = world.nowMs;
    const calm = scene.locks('own', { pollFloorMs: 20_000, pollCeilingMs: minute });
    await world.until(api(calm).acquire({ waitMs: 3 * minute, lockDelayMs: 30_000 }));
    expect(world.nowMs - startMs).toBeGreaterThan(40_000);
    expect(world.nowMs - startMs).toBeLessThan(43_500);
    expect(scene.writesOf('own')).toBeLessThan(4);
  });

  it('leaves no timer behind', async () => {
    const scene = kitScene();
    const [other] = await held(scene, [minute]);
    scene.after_ms(3_000, () => other!.release());
    await scene.world.until(api(scene.locks('own')).withPermit(() => {}, { waitMs: minute }));
    await scene.sleep(10);
    expect(scene.world.loop.nextAtMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('that does not supersede leaves its owner’s own permits alone, too', async () => {
    const scene = kitScene();
    await held(scene, [minute, minute]);
    await scene.failure(api(scene.locks('own'), 2).acquire({ owner: 'holder-1' }));
    expect(scene.writesOf('own')).toBe(1);
  });

  it('sends no write once its caller’s own time is over', async () => {
    const scene = kitScene();
    const own = scene.locks('own');
    await scene.world.until(own.inspect('x'));
    let leftMs = 30_000;
    scene.before = async ({ process, operation }) => {
      if (process === 'own' && operation === 'UpdateItemCommand') {
        leftMs = 0;
        throw trouble();
      }
    };
    await scene.failure(api(own, 2).acquire({ endsInMs: () => leftMs }));
    expect(scene.writesOf('own')).toBe(1);
  });

  it('that supersedes tries what its owner holds, and nothing that another does', async () => {
    const scene = kitScene();
    const leases = await held(scene, [minute, minute]);
    const stranger = await scene.failure(api(scene.locks('own'), 2).acquire({ supersede: true }));
    expect(stranger).toMatchObject({ name: 'LockHeldError' });
    expect(scene.writesOf('own')).toBe(0);
    const again = await scene.world.until(
      api(scene.locks('own'), 2).acquire({ supersede: true, owner: 'holder-1' }),
    );
    expect(again.name).toBe(leases[1]!.name);
    const written = scene.asked.filter(
      ({ process, operation }) => process === 'own' && operation === 'UpdateItemCommand',
    );
    expect(new Set(written.map(({ key }) => key))).toEqual(new Set([leases[1]!.name]));
  });
});
