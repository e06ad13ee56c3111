import { expect, it } from 'vitest';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';

/** Reads of so many fair waiters in twenty seconds of virtual time, while somebody else holds the lock. */
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
  await world.until(world.loop.sleep(10_000));
  const [reads, writes] = [world.reads, world.writes];
  await world.until(world.loop.sleep(20_000));
  const own = world.reads - reads;
  // Those of the holder's heartbeat: who waits writes nothing.
  expect(world.writes - writes).toBeLessThan(20);
  end.abort('enough');
  await world.until(Promise.all(waits));
  return own;
}

it('ten fair waiters read no more in a second than three, and thirty less than twice as much', async () => {
  const [three, ten, thirty] = [await readsInLine(3), await readsInLine(10), await readsInLine(30)];
  expect(three).toBeGreaterThan(0);
  expect(ten).toBeLessThanOrEqual(three);
  expect(thirty).toBeLessThan(2 * three);
});

it('fifty in line, whose turns are short: each is served in its turn, since all look often enough', async () => {
  const world = new VirtualWorld(3);
  const holder = world.locks(world.process('holder'));
  const held = await world.until(holder.acquire('lock'));
  const order: number[] = [];
  const turns = Array.from({ length: 50 }, async (_, i) => {
    const locks = world.locks(world.process(`waiter-${i}`));
    await world.loop.sleep(100 * i);
    const lease = await locks.acquire('lock', { fair: true, waitMs: 3_600_000 });
    order.push(i);
    await world.loop.sleep(200);
    await lease.release();
  });
  await world.until(world.loop.sleep(30_000));
  await world.until(held.release());
  await world.until(Promise.all(turns));
  expect(order).toEqual(order.map((_, place) => place));
});
