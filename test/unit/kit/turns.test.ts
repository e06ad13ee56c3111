import { describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

/** For each who stands before it a waiter leaves a free lock alone for so long, in milliseconds. */
const graceMs = 2_000;
const forLong = { waitMs: 600_000 };

/** A world with a lock that is held, and so many who stand in its line and are dead. */
async function behindTheDead(seed: number, deadCount: number) {
  const world = new VirtualWorld(seed);
  const held = await world.until(world.locks(world.process('holder')).acquire('a'));
  for (let dead = 0; dead < deadCount; dead++) {
    const process = world.process(`dead-${dead}`);
    world
      .locks(process)
      .acquire('a', { fair: true, ...forLong })
      .catch(() => {});
    await world.until(world.loop.sleep(100));
    process.crash();
  }
  return { world, held };
}

describe('whose turn it is in a line, in virtual time', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'a grace for each who stands before it: the living keep their order (seed %i)',
    async (seed) => {
      const { world, held } = await behindTheDead(seed, 1);
      const order: string[] = [];
      const turns = ['first', 'second'].map(async (id, place) => {
        await world.loop.sleep(100 * place);
        const lease = await world.locks(world.process(id)).acquire('a', { fair: true, ...forLong });
        order.push(id);
        await lease.release();
      });
      await world.until(world.loop.sleep(1_000));
      await world.until(held.release());
      await world.until(Promise.all(turns));
      expect(order).toEqual(['first', 'second']);
    },
  );

  it('a lock that somebody has had in between has not been free for so long', async () => {
    const { world, held } = await behindTheDead(1, 1);
    const waiting = world.locks(world.process('own')).acquire('a', { fair: true, ...forLong });
    const passer = world.locks(world.process('passer'));
    await world.until(passer.inspect('a'));
    await world.until(world.loop.sleep(500));
    await world.until(held.release());
    await world.until(world.loop.sleep(0.75 * graceMs));
    await world.until((async () => (await passer.acquire('a')).release())());
    const freedMs = world.nowMs;
    await world.until(waiting);
    expect(world.nowMs - freedMs).toBeGreaterThan(0.9 * graceMs);
  });

  it('a lock that is held again is not tried for, however long it was free before', async () => {
    const { world, held } = await behindTheDead(1, 1);
    const end = new AbortController();
    const waiting = world
      .locks(world.process('own'))
      .acquire('a', { fair: true, signal: end.signal, ...forLong })
      .catch(() => {});
    const passer = world.locks(world.process('passer'), { leaseMs: 600_000 });
    await world.until(world.loop.sleep(500));
    await world.until(held.release());
    await world.until(world.loop.sleep(0.5 * graceMs));
    await world.until(passer.acquire('a'));
    const { writes } = world;
    await world.until(world.loop.sleep(10 * graceMs));
    expect(world.writes).toBe(writes);
    end.abort('enough');
    await world.until(waiting);
  });
});

describe('several locks at once, and a leader, in virtual time', () => {
  const both = (locks: LockClient, waitMs: number) => locks.acquireAll(['a', 'b'], { waitMs });

  it('have one wait for all of them', async () => {
    const world = new VirtualWorld(1);
    const holder = world.locks(world.process('holder'));
    const first = await world.until(holder.acquire('a'));
    await world.until(holder.acquire('b'));
    const sinceMs = world.nowMs;
    const waiting = both(world.locks(world.process('own')), 10_000);
    waiting.catch(() => {});
    await world.until(world.loop.sleep(8_000));
    await world.until(first.release());
    await expect(world.until(waiting)).rejects.toMatchObject({ name: 'LockHeldError', lockName: 'b' });
    expect(world.nowMs - sinceMs).toBeLessThan(12_000);
  });

  it('are not handed out where the first was lost while the last was waited for', async () => {
    const world = new VirtualWorld(1);
    const holder = world.locks(world.process('holder'));
    const last = await world.until(holder.acquire('b'));
    const waiting = both(world.locks(world.process('own'), { leaseMs: 6_000 }), 60_000);
    waiting.catch(() => {});
    await world.until(world.loop.sleep(500));
    const { leaseId } = (await world.until(holder.inspect('a')))!;
    expect(await world.until(holder.break('a', leaseId!))).toBe(true);
    await world.until(world.loop.sleep(5_000));
    await world.until(last.release());
    await expect(world.until(waiting)).rejects.toMatchObject({ name: 'LockLostError', lockName: 'a' });
    expect(await world.until(holder.inspect('b'))).toMatchObject({ state: 'free' });
  });

  it('a campaign goes on soon after a line that was full has emptied', async () => {
    const world = new VirtualWorld(1);
    const locks = world.locks(world.process('own'));
    const { store, clock } = locks.context;
    await world.until(locks.inspect('lead'));
    const deadline = clock.now().latest + 3_000;
    for (let place = 0; place < 100; place++)
      await world.until(store.joinLine('lead', { id: `dead-${place}`, deadline }));
    const sinceMs = world.nowMs;
    const leading = locks.lead('lead', () => world.nowMs, { fair: true });
    expect((await world.until(leading)) - sinceMs).toBeLessThan(60_000);
  });
});
