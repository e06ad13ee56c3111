import { describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import type { LockHeldError } from '../../../lib/errors/index.js';
import { leaseFormat } from '../../../lib/lease/index.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { denial, failureOf, kitScene, trouble } from '../../support/kit/kit-scene.js';

usePlainAbort();

const minute = 60_000;
const catalog = (locks: LockClient, readers = 2) => locks.readWriteLock('catalog', { readers });

/** What any process may have put under a name: a lease that is valid. */
function stranger({ world }: ReturnType<typeof kitScene>, name: string): void {
  world.items.set(name, {
    name: { S: name },
    format: { S: leaseFormat },
    version: { N: '7' },
    leaseId: { S: 'x' },
    expiresAt: { N: String(Math.ceil(world.nowMs + 30_000)) },
  });
}

describe('a lock for readers and a writer', () => {
  it('is called by its name, and refuses by name what it does not take', async () => {
    const { locks, failure, asked } = kitScene();
    const lock = catalog(locks('own'), 100);
    expect(lock).toMatchObject({ name: 'catalog', readers: 100 });
    expect(() => catalog(locks('own'), 101)).toThrow(
      'readers: must be a whole number from 1 to 100, got 101',
    );
    expect((await failure(lock.read('x' as never))).message).toMatch(/^read: must be given the work/);
    expect((await failure(lock.write('x' as never))).message).toMatch(/^write: must be given the work/);
    for (const option of [{ wait: 1 }, { supersede: true }, { minHoldMs: 5 }]) {
      expect((await failure(lock.acquireRead(option as never))).message).toMatch(/^acquireRead: /);
      expect((await failure(lock.acquireWrite(option as never))).message).toMatch(/^acquireWrite: /);
    }
    expect(asked).toEqual([]);
  });

  it('runs work under leases of the terms that were asked for, and gives them back', async () => {
    const scene = kitScene();
    const lock = catalog(scene.locks('own'));
    const terms = { owner: 'me', leaseMs: 7_000 };
    const asAsked = (names: readonly string[]) => {
      for (const name of names)
        expect(scene.world.items.get(name)).toMatchObject({ owner: { S: 'me' }, leaseMs: { N: '7000' } });
    };
    const read = lock.read((lease) => {
      asAsked([lease.name]);
      return lease.name;
    }, terms);
    expect(await scene.world.until(read)).toMatch(/^catalog#r#[01]$/);
    const write = lock.write((held) => {
      asAsked(held.names);
      return held.names;
    }, terms);
    const names = ['catalog#w', 'catalog#r#0', 'catalog#r#1'];
    expect(await scene.world.until(write)).toEqual(expect.arrayContaining(names));
    const again = await scene.world.until(lock.acquireWrite());
    expect(again.token).toBe(again.get('catalog#w').token);
    await scene.world.until(again.release());
    expect(names.filter(scene.isHeld)).toEqual([]);
  });
});

describe('a reader', () => {
  it('is told who writes, waits at ease, no longer than asked, and reads on when the writer is gone', async () => {
    const scene = kitScene();
    const { world } = scene;
    const writer = await world.until(catalog(scene.locks('writer')).acquireWrite({ leaseMs: minute }));
    const gate = writer.get('catalog#w');
    const startMs = world.nowMs;
    const error = await scene.failure(catalog(scene.locks('own')).acquireRead({ waitMs: 5_000 }));
    expect(world.nowMs - startMs).toBeGreaterThan(4_900);
    expect(world.nowMs - startMs).toBeLessThan(5_100);
    const { token, leaseId } = gate;
    const { holder, waitedMs } = error as unknown as LockHeldError;
    expect(error).toMatchObject({ name: 'LockHeldError', lockName: 'catalog' });
    expect(waitedMs).toBeGreaterThan(4_900);
    expect(holder).toEqual({
      ...{ owner: 'writer', token, leaseId },
      acquiredAt: Number(world.items.get('catalog#w')!.acquiredAt!.N),
      remainingMs: expect.any(Number),
    });
    expect(holder!.remainingMs).toBeGreaterThan(40_000);
    expect(scene.readsOf('own')).toBeLessThan(60);
    expect(scene.writesOf('own')).toBe(0);
    scene.after_ms(3_000, () => writer.release());
    const lease = await world.until(catalog(scene.locks('own')).acquireRead({ waitMs: minute }));
    expect(lease.isHeld).toBe(true);
    expect(world.nowMs - startMs).toBeLessThan(10_000);
  });

  it('tries once where it was not asked to wait, and no longer than its caller’s own time lasts', async () => {
    const scene = kitScene();
    await scene.world.until(catalog(scene.locks('writer')).acquireWrite({ leaseMs: minute }));
    await scene.world.until(scene.locks('own').inspect('x'));
    const readsBefore = scene.readsOf('own');
    const startMs = scene.world.nowMs;
    await scene.failure(catalog(scene.locks('own')).acquireRead());
    expect(scene.readsOf('own') - readsBefore).toBe(1);
    const endsInMs = () => startMs + 8_000 - scene.world.nowMs;
    const error = await scene.failure(catalog(scene.locks('own')).acquireRead({ waitMs: minute, endsInMs }));
    expect(error.name).toBe('LockHeldError');
    expect(scene.world.nowMs - startMs).toBeLessThan(8_100);
  });

  it('ends its wait with its signal', async () => {
    const scene = kitScene();
    await scene.world.until(catalog(scene.locks('writer')).acquireWrite({ leaseMs: minute }));
    const calm = scene.locks('own', { pollFloorMs: 20_000, pollCeilingMs: minute });
    const caller = new AbortController();
    scene.after_ms(5_000, () => caller.abort(new Error('enough')));
    const startMs = scene.world.nowMs;
    const error = await scene.failure(catalog(calm).acquireRead({ waitMs: minute, signal: caller.signal }));
    expect(error.message).toBe('enough');
    expect(scene.world.nowMs - startMs).toBeLessThan(5_100);
  });

  it.each([1, 2])('ends its look at the gate with its signal: look %d', async (nth) => {
    const scene = kitScene();
    await scene.world.until(scene.locks('own').inspect('x'));
    let looks = 0;
    scene.before = ({ process, operation, key }) =>
      process === 'own' && operation !== 'UpdateItemCommand' && key === 'catalog#w' && ++looks === nth
        ? new Promise(() => {})
        : Promise.resolve();
    const caller = new AbortController();
    scene.after_ms(500, () => caller.abort(new Error('enough')));
    const startMs = scene.world.nowMs;
    const error = await scene.failure(catalog(scene.locks('own')).acquireRead({ signal: caller.signal }));
    expect(error.message).toBe('enough');
    expect(scene.world.nowMs - startMs).toBeLessThan(600);
    expect(['catalog#r#0', 'catalog#r#1'].filter(scene.isHeld)).toEqual([]);
  });

  it('gives its permit back before it waits for a writer that came in between', async () => {
    const scene = kitScene();
    let looks = 0;
    scene.before = async ({ process, operation, key }) => {
      if (process !== 'own' || operation === 'UpdateItemCommand' || key !== 'catalog#w') return;
      if (++looks === 2) stranger(scene, 'catalog#w');
      // By then its permit is free.
      if (looks === 3) expect(['catalog#r#0', 'catalog#r#1'].filter(scene.isHeld)).toEqual([]);
    };
    const error = await scene.failure(catalog(scene.locks('own')).acquireRead({ waitMs: 2_000 }));
    expect(looks).toBeGreaterThan(2);
    expect(error).toMatchObject({ name: 'LockHeldError', holder: { owner: 'unknown', acquiredAt: 0 } });
    const once = await scene.failure(catalog(scene.locks('own')).acquireRead());
    expect(once).toMatchObject({ holder: { owner: 'unknown' } });
    expect(['catalog#r#0', 'catalog#r#1'].filter(scene.isHeld)).toEqual([]);
  });

  it('gives its permit back where it can’t see whether a writer came, and does not read', async () => {
    const scene = kitScene();
    for (const error of [trouble, denial]) {
      let looks = 0;
      scene.before = async ({ process, operation, key }) => {
        if (process === 'own' && operation !== 'UpdateItemCommand' && key === 'catalog#w' && ++looks === 2)
          throw error();
      };
      const refused = await scene.failure(catalog(scene.locks('own')).acquireRead());
      expect(refused).toMatchObject({ name: 'StoreError', retryable: error === trouble });
      expect(['catalog#r#0', 'catalog#r#1'].filter(scene.isHeld)).toEqual([]);
    }
  });

  it('goes on after trouble that passes, and hears at once of what does not, or that it was ended', async () => {
    const scene = kitScene();
    let looks = 0;
    await scene.world.until(scene.locks('own').inspect('x'));
    scene.before = async ({ operation }) => {
      if (operation !== 'UpdateItemCommand' && ++looks < 4) throw trouble();
    };
    const lease = await scene.world.until(catalog(scene.locks('own')).acquireRead({ waitMs: minute }));
    expect(lease.isHeld).toBe(true);
    scene.before = async () => {
      throw denial();
    };
    const startMs = scene.world.nowMs;
    const denied = await scene.failure(catalog(scene.locks('own')).acquireRead({ waitMs: minute }));
    expect(denied).toMatchObject({ name: 'StoreError', retryable: false });
    const caller = new AbortController();
    scene.before = async () => {
      caller.abort(new Error('enough'));
      throw trouble();
    };
    const { signal } = caller;
    await scene.failure(catalog(scene.locks('own')).acquireRead({ waitMs: minute, signal }));
    expect(scene.world.nowMs - startMs).toBeLessThan(100);
  });

  it('whose permit was lost before it could read tries again', async () => {
    const scene = kitScene();
    const { world } = scene;
    const own = world.process('own');
    let looks = 0;
    const locks = scene.locks('other');
    void locks;
    const client = world.client(own);
    const send = async (...args: Parameters<typeof client.send>) => {
      const [{ input, constructor: kind }] = args;
      // Asleep past the end of its lease, after it had the permit.
      if (kind.name === 'GetItemCommand' && input.Key.name.S === 'catalog#w' && ++looks === 2)
        own.pause(20_000);
      return client.send(...args);
    };
    const sleeping = world.locks(own, { client: { send } as never });
    const startMs = world.nowMs;
    const lease = await world.until(catalog(sleeping).acquireRead({ leaseMs: 6_000, waitMs: minute }));
    expect(lease.isHeld).toBe(true);
    expect(looks).toBeGreaterThan(2);
    expect(world.nowMs - startMs).toBeGreaterThan(20_000);
  });
});

describe('a writer', () => {
  it('waits for readers no longer than asked, or its caller’s own time lasts, and has then given all back', async () => {
    const scene = kitScene();
    const { world } = scene;
    await world.until(catalog(scene.locks('reader')).acquireRead({ leaseMs: minute }));
    for (const endsInMs of [undefined, 8_000]) {
      const startMs = world.nowMs;
      const own = endsInMs && { endsInMs: () => startMs + endsInMs - world.nowMs };
      const waitMs = endsInMs ? minute : 5_000;
      const error = await scene.failure(catalog(scene.locks('own')).acquireWrite({ waitMs, ...own }));
      expect(error.name).toBe('LockHeldError');
      expect(world.nowMs - startMs).toBeGreaterThan(4_900);
      expect(world.nowMs - startMs).toBeLessThan(8_100);
      expect(scene.isHeld('catalog#w')).toBe(false);
      expect(['catalog#r#0', 'catalog#r#1'].filter(scene.isHeld)).toHaveLength(1);
    }
  });

  it('does not wait for other permits once one can’t be had', async () => {
    const scene = kitScene();
    const { world } = scene;
    const reader = await world.until(catalog(scene.locks('reader')).acquireRead({ leaseMs: minute }));
    const other = reader.name === 'catalog#r#0' ? 'catalog#r#1' : 'catalog#r#0';
    world.items.set(other, {
      ...{ name: { S: other }, format: { S: leaseFormat }, version: { N: '7' } },
      completedAt: { N: String(Math.ceil(world.nowMs)) },
    });
    const startMs = world.nowMs;
    const error = await scene.failure(catalog(scene.locks('own')).acquireWrite({ waitMs: minute }));
    expect(error).toMatchObject({ name: 'AlreadyCompletedError', lockName: other });
    expect(world.nowMs - startMs).toBeLessThan(1_000);
    expect(scene.isHeld('catalog#w')).toBe(false);
  });

  it('is told that it can’t be had, where its caller’s own time ends between the gate and the permits', async () => {
    const told = new Set<string>();
    for (let looks = 0; looks < 8; looks++) {
      const scene = kitScene();
      // It looks at the time so many times after the gate was had.
      let left = Number.POSITIVE_INFINITY;
      scene.after = async ({ key }) => {
        if (key === 'catalog#w') left = Math.min(left, looks);
      };
      const endsInMs = () => (left-- > 0 ? 30_000 : 0.5);
      const lock = catalog(scene.locks('own')).acquireWrite({ endsInMs });
      const end = await scene.world.until(lock.catch((error) => error));
      told.add(`${end.name} ${end.lockName?.slice(0, 9)}`);
      if (end.name === 'LockHeldError') {
        expect(scene.asked.filter(({ key }) => key === end.lockName)).toEqual([]);
        expect(scene.isHeld('catalog#w')).toBe(false);
      }
    }
    expect([...told]).toContain('LockHeldError catalog#r');
  });

  it.each([
    ['tries again, when it was lost while it waited for the last reader', minute],
    ['is told of the loss, where no time is left to try again', 4_500],
  ])('%s', async (_, waitMs) => {
    const scene = kitScene();
    const { world } = scene;
    const reader = await world.until(catalog(scene.locks('reader')).acquireRead({ leaseMs: minute }));
    const writing = catalog(scene.locks('own')).acquireWrite({ leaseMs: 6_000, waitMs });
    const over = failureOf(writing);
    await scene.sleep(1_000);
    await scene.breakLease('catalog#w');
    await scene.sleep(3_400);
    await world.until(reader.release());
    if (waitMs === minute) {
      const lock = await world.until(writing);
      expect(lock.isHeld).toBe(true);
      expect(lock.names.filter(scene.isHeld)).toHaveLength(3);
      await over.catch(() => {});
      return;
    }
    const error = await world.until(over);
    expect(error).toMatchObject({
      name: 'LockHeldError',
      lockName: 'catalog',
      cause: { name: 'LockLostError' },
    });
    expect(['catalog#w', 'catalog#r#0', 'catalog#r#1'].filter(scene.isHeld)).toEqual([]);
  });

  it('whose lock was lost before it was whole pauses no longer than its caller’s own time, and is told no wrong option', async () => {
    const scene = kitScene();
    const { world } = scene;
    const dead = world.process('dead');
    await world.until(catalog(world.locks(dead)).acquireRead({ leaseMs: 6_000 }));
    dead.crash();
    const calm = scene.locks('own', { pollFloorMs: 20_000, pollCeilingMs: minute });
    const startMs = world.nowMs;
    // It stops a little before its own end: there is no time for another request by then.
    const endsInMs = () => {
      const leftMs = startMs + 12_000 - world.nowMs;
      return leftMs > 500 ? leftMs : 0.5;
    };
    // The reader's permit is waited for until its lease is over, and the gate is lost meanwhile.
    const over = failureOf(catalog(calm).acquireWrite({ leaseMs: 6_000, waitMs: minute, endsInMs }));
    await scene.sleep(1_000);
    await scene.breakLease('catalog#w');
    expect(await world.until(over)).toMatchObject({ name: 'LockHeldError', lockName: 'catalog' });
    expect(world.nowMs - startMs).toBeGreaterThan(11_000);
    expect(world.nowMs - startMs).toBeLessThan(12_100);
    expect(['catalog#w', 'catalog#r#0', 'catalog#r#1'].filter(scene.isHeld)).toEqual([]);
  });

  it('ends its wait with its signal, all given back', async () => {
    const scene = kitScene();
    await scene.world.until(catalog(scene.locks('reader')).acquireRead({ leaseMs: minute }));
    const caller = new AbortController();
    scene.after_ms(5_000, () => caller.abort(new Error('enough')));
    const startMs = scene.world.nowMs;
    const { signal } = caller;
    const error = await scene.failure(catalog(scene.locks('own')).acquireWrite({ waitMs: minute, signal }));
    expect(error.message).toBe('enough');
    expect(scene.world.nowMs - startMs).toBeLessThan(5_100);
    expect(scene.isHeld('catalog#w')).toBe(false);
  });
});
