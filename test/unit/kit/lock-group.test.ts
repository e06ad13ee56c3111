import { describe, expect, it } from 'vitest';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { denial, failureOf, kitScene } from '../../support/kit/kit-scene.js';

usePlainAbort();

/** Its holder looks every two seconds. */
const short = { leaseMs: 6_000 };

describe('a group of locks', () => {
  it('knows its leases by name, all of them under the terms that were asked for', async () => {
    const { world, locks } = kitScene();
    const group = await world.until(locks('own').acquireAll(['b', 'a'], { owner: 'me', leaseMs: 7_000 }));
    expect(group.names).toEqual(['a', 'b']);
    for (const name of group.names) {
      expect(group.get(name)).toMatchObject({ name, owner: 'me' });
      expect(group.tokens.get(name)).toBe(group.get(name).token);
      expect(world.items.get(name)!.leaseMs).toEqual({ N: '7000' });
    }
    expect(() => group.get('c')).toThrow('The group holds no lock "c"; it holds a, b');
  });

  it('has one signal, which tells the first loss and its reason, and no other', async () => {
    const scene = kitScene();
    const group = await scene.world.until(scene.locks('own').acquireAll(['a', 'b', 'c'], short));
    const { signal } = group;
    expect(group.signal).toBe(signal);
    expect({ loss: group.loss, isHeld: group.isHeld }).toEqual({ loss: undefined, isHeld: true });
    group.throwIfLost();
    await scene.breakLease('b');
    await scene.sleep(2_500);
    await scene.breakLease('a');
    await scene.sleep(2_500);
    expect(signal.reason).toMatchObject({ name: 'LockLostError', lockName: 'b' });
    expect(group.isHeld).toBe(false);
    expect(group.loss).toMatchObject({ name: 'LockLostError' });
    expect(() => group.throwIfLost()).toThrow(group.loss!.message);
  });

  it('tells of a loss that is not of its first lease', async () => {
    const scene = kitScene();
    const group = await scene.world.until(scene.locks('own').acquireAll(['a', 'b'], short));
    await scene.breakLease('b');
    await scene.sleep(2_500);
    expect(group.loss).toMatchObject({ lockName: 'b' });
    expect(() => group.throwIfLost()).toThrow(/"b"/);
    expect(await scene.world.until(group.release())).toBe('lost');
    expect(scene.isHeld('a')).toBe(false);
    const other = await scene.world.until(scene.locks('own').acquireAll(['c', 'd'], short));
    await scene.breakLease('c');
    // `d` is released before, and was current.
    expect(await scene.world.until(other.release())).toBe('lost');
  });

  it('releases the last first, one after the other, and tells that all were current', async () => {
    const scene = kitScene();
    const group = await scene.world.until(scene.locks('own').acquireAll(['a', 'b', 'c']));
    scene.asked.length = 0;
    let open = 0;
    scene.before = async () => expect(open++).toBe(0);
    scene.after = async () => void open--;
    expect(await scene.world.until(group.release())).toBe('released');
    expect(scene.asked.map(({ key }) => key)).toEqual(['c', 'b', 'a']);
  });

  it('releases the others where one can’t be, and throws the first error', async () => {
    const scene = kitScene();
    const group = await scene.world.until(
      scene.locks('own').acquireAll(['a', 'b', 'c'], { leaseMs: 60_000 }),
    );
    scene.before = async ({ key }) => {
      if (key !== 'a') throw denial();
    };
    expect(await scene.failure(group.release())).toMatchObject({ name: 'StoreError', lockName: 'c' });
    expect(['a', 'b', 'c'].map(scene.isHeld)).toEqual([false, true, true]);
    const one = await scene.world.until(scene.locks('own').acquireAll(['a'], { leaseMs: 60_000 }));
    scene.before = async () => {
      throw denial();
    };
    expect(await scene.failure(one.release())).toMatchObject({ name: 'StoreError', lockName: 'a' });
  });
});

describe('several locks at once', () => {
  it('are given back before their caller hears that one can’t be had', async () => {
    const scene = kitScene();
    await scene.world.until(scene.locks('other').acquire('c'));
    const error = await scene.failure(scene.locks('own').acquireAll(['a', 'b', 'c']));
    expect(error).toMatchObject({ name: 'LockHeldError', lockName: 'c' });
    expect(['a', 'b'].map(scene.isHeld)).toEqual([false, false]);
  });

  it('are not had where the first was lost while the last was waited for', async () => {
    const scene = kitScene();
    const other = await scene.world.until(scene.locks('other').acquire('b'));
    const waiting = failureOf(scene.locks('own').acquireAll(['a', 'b'], { ...short, waitMs: 60_000 }));
    await scene.sleep(3_000);
    await scene.breakLease('a');
    await scene.sleep(2_500);
    await scene.world.until(other.release());
    expect(await scene.world.until(waiting)).toMatchObject({ name: 'LockLostError', lockName: 'a' });
    expect(scene.isHeld('b')).toBe(false);
  });

  it('are waited for no longer together than was asked', async () => {
    const scene = kitScene();
    const { world } = scene;
    const first = await world.until(scene.locks('other').acquire('a'));
    await world.until(scene.locks('other').acquire('b'));
    const startMs = world.nowMs;
    scene.after_ms(3_000, () => first.release());
    const error = await scene.failure(scene.locks('own').acquireAll(['a', 'b'], { waitMs: 5_000 }));
    expect(error).toMatchObject({ name: 'LockHeldError', lockName: 'b' });
    expect(world.nowMs - startMs).toBeLessThan(5_100);
    expect(world.nowMs - startMs).toBeGreaterThan(4_900);
  });

  it('can’t all be had where their caller’s own time ends after the first: those that were had are given back', async () => {
    const told = new Set<string>();
    for (let looks = 0; looks < 8; looks++) {
      const scene = kitScene();
      // It looks at the time so many times after the first was had.
      let left = Number.POSITIVE_INFINITY;
      scene.after = async ({ key }) => {
        if (key === 'a') left = Math.min(left, looks);
      };
      const endsInMs = () => (left-- > 0 ? 30_000 : 0.5);
      const all = scene.locks('own').acquireAll(['a', 'b'], { endsInMs });
      const end = await scene.world.until(all.catch((error) => error));
      told.add(`${end.name} ${end.lockName}`);
      if (end.name === 'LockHeldError') expect(scene.isHeld('a')).toBe(false);
    }
    expect([...told]).toContain('LockHeldError b');
  });

  it('are a list: one text is none, and is not taken letter by letter', async () => {
    const scene = kitScene();
    const text = await scene.failure(scene.locks('own').acquireAll('abc'));
    expect(text).toMatchObject({ name: 'UsageError' });
    expect(text.message).toBe('acquireAll: takes a list of names, got one string');
    const none = await scene.failure(scene.locks('own').acquireAll([]));
    expect(none.message).toBe('acquireAll: takes 1 to 100 names, got 0');
    expect(scene.asked).toEqual([]);
  });

  it('may be a hundred, and no more', async () => {
    const scene = kitScene();
    const names = Array.from({ length: 101 }, (_, i) => `n${i}`);
    const all = scene.locks('own').acquireAll(names);
    expect((await scene.failure(all)).message).toBe('acquireAll: takes 1 to 100 names, got 101');
    const group = await scene.world.until(scene.locks('own').acquireAll(names.slice(1)));
    expect(group.names).toHaveLength(100);
  });

  it('are a wrong request, named as such, where no time is left at all, or they should rest after work', async () => {
    const scene = kitScene();
    const locks = scene.locks('own');
    const late = await scene.failure(locks.acquireAll(['a'], { endsInMs: () => 0 }));
    expect(late).toMatchObject({ name: 'UsageError' });
    const resting = await scene.failure(locks.acquireAll(['a'], { minHoldMs: 5 } as never));
    expect(resting.message).toMatch(/^acquireAll: has no option "minHoldMs"/);
  });
});
