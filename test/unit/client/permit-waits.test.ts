import { expect, it } from 'vitest';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

/** A request takes 4 ms there: whoever asks without a pause in the seconds that a wait has here asks hundreds of times. */
const atEase = 150;

it('a permit whose holder has crashed is waited for at ease, also while clocks do not agree yet that its lease is over', async () => {
  const world = new VirtualWorld(1);
  const [holder, waiter] = [world.process('holder'), world.process('waiter')];
  const held = await world.until(world.locks(holder).semaphore('api', { permits: 1 }).acquire());
  holder.crash();
  // For so long, too, nobody may take it.
  const semaphore = world.locks(waiter, { skewMs: 5_000 }).semaphore('api', { permits: 1 });
  const lease = await world.until(semaphore.acquire({ waitMs: 600_000 }));
  expect(lease.token).toBeGreaterThan(held.token);
  expect(world.reads).toBeLessThan(atEase);
});

it('a permit that is out of use is not waited for as one that could be had at once', async () => {
  const world = new VirtualWorld(1);
  const [holder, waiter] = [world.locks(world.process('holder')), world.locks(world.process('waiter'))];
  await world.until(
    (async () => (await holder.semaphore('api', { permits: 1 }).acquire()).complete('done'))(),
  );
  const waiting = world.until(waiter.semaphore('api', { permits: 1 }).acquire({ waitMs: 5_000 }));
  await expect(waiting).rejects.toMatchObject({ name: 'LockHeldError', holder: undefined });
  expect(world.reads).toBeLessThan(atEase);
});
