import { expect, it } from 'vitest';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';

/** Reads of so many fair waiters in forty seconds of virtual time, while somebody else holds the lock. */
async function readsInLine(waiters: number): Promise<number> {
  const world = new VirtualWorld(7);
  const holder = world.locks(world.process('holder'));
  await world.until(holder.acquire('lock'));
  const end = new AbortController();
  const waits = Array.from({ length: waiters }, async (_, i) => {
    const locks = world.locks(world.process(`waiter-${i}`));
    await world.loop.sleep(100 * i);
    await locks.acquire('lock', { fair: true, waitMs: 3_600_000, signal: end.signal }).catch(() => {});
  });
  // All stand in line, and each has seen its place.
  await world.until(world.loop.sleep(20_000));
  const [reads, writes] = [world.reads, world.writes];
  await world.until(world.loop.sleep(40_000));
  const own = world.reads - reads;
  // Those of the holder's heartbeat: who waits writes nothing.
  expect(world.writes - writes).toBeLessThan(40);
  end.abort('enough');
  await world.until(Promise.all(waits));
  return own;
}

it('ten fair waiters read no more in a second than three, and thirty no more either', async () => {
  const [three, ten, thirty] = [await readsInLine(3), await readsInLine(10), await readsInLine(30)];
  expect(three).toBeGreaterThan(0);
  expect(ten).toBeLessThanOrEqual(three);
  expect(thirty).toBeLessThanOrEqual(three);
});
