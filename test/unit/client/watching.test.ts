import { describe, expect, it } from 'vitest';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { kitScene } from '../../support/kit/kit-scene.js';

usePlainAbort();

const leaseMs = 1_000;
/** Front ends may differ by so much that nothing is taken over by the store's time in these tests. */
const short = { leaseMs, requestTimeoutMs: 100, skewMs: 60_000 };
const minute = 60_000;

/** A holder that has crashed, and one who waits. */
async function crashed(more: object = {}) {
  const scene = kitScene();
  const { world } = scene;
  const process = world.process('holder');
  await world.until(world.locks(process, { ...short, ...more } as never).acquire('x'));
  const sinceMs = world.nowMs;
  process.crash();
  return { scene, world, own: scene.locks('own', short), passedMs: () => world.nowMs - sinceMs };
}

/** A holder whose renewals the store does not take, once it is told so. */
async function held() {
  const scene = kitScene();
  const { world } = scene;
  const holder = scene.locks('holder', short);
  await world.until(holder.inspect('x'));
  const sinceMs = world.nowMs;
  const lease = await world.until(holder.acquire('x'));
  return { scene, world, lease, own: scene.locks('own', short), passedMs: () => world.nowMs - sinceMs };
}

describe('a waiter that has watched a lease for its length', () => {
  it('I6 takes it over, whatever the store’s time is', async () => {
    const { world, own, passedMs } = await crashed();
    const lease = await world.until(own.acquire('x', { waitMs: minute }));
    expect(lease.takenOverFrom).toMatchObject({ owner: 'holder' });
    expect(passedMs()).toBeGreaterThanOrEqual(leaseMs);
    expect(passedMs()).toBeLessThan(1.1 * leaseMs);
  });

  it('I8 has written twice, and looks again when the time has come', async () => {
    const { scene, world, own } = await crashed();
    await world.until(own.acquire('x', { waitMs: minute }));
    expect(scene.writesOf('own')).toBe(2);
  });

  it('lockDelayMs: leaves it for so much longer', async () => {
    const { world, own, passedMs } = await crashed();
    await world.until(own.acquire('x', { waitMs: minute, lockDelayMs: 3_000 }));
    expect(passedMs()).toBeGreaterThanOrEqual(leaseMs + 3_000);
    expect(passedMs()).toBeLessThan(leaseMs + 3_200);
  });

  it('I2 has seen it renewed, and never writes: it is held for as long as its holder renews it', async () => {
    const { scene, lease, own } = await held();
    const error = await scene.failure(own.acquire('x', { waitMs: 10 * leaseMs }));
    expect(error).toMatchObject({ name: 'LockHeldError', holder: { owner: 'holder' } });
    expect(scene.writesOf('own')).toBe(1);
    expect(lease.isHeld).toBe(true);
  });

  it('I2 is refused by a renewal that comes before its write', async () => {
    const { scene, world, lease, own } = await held();
    const other = scene.locks('other', short);
    let isCut = true;
    let writes = 0;
    scene.before = async ({ process, operation }) => {
      if (operation !== 'UpdateItemCommand') return;
      if (process === 'holder' && isCut) throw Object.assign(new Error('cut off'), { name: 'TimeoutError' });
      // The second write of the waiter is the takeover. The holder, which has given up, had one more renewal under way.
      if (process === 'own' && ++writes === 2) {
        const item = world.items.get('x')!;
        world.items.set('x', { ...item, expiresAt: { N: String(Number(item.expiresAt!.N) + 1) } });
      }
    };
    const error = await scene.failure(own.acquire('x', { waitMs: 1.5 * leaseMs }));
    expect(error).toMatchObject({ name: 'LockHeldError', holder: { owner: 'holder' } });
    expect(writes).toBe(2);
    expect(lease.isHeld).toBe(false);
    isCut = false;
    expect((await world.until(other.inspect('x')))!.owner).toBe('holder');
  });

  it('I2 counts by whichever of its clocks shows less', async () => {
    const scene = kitScene();
    const { world } = scene;
    const holder = world.process('holder');
    await world.until(world.locks(holder, short).acquire('x'));
    const sinceMs = world.nowMs;
    holder.crash();
    const process = world.process('waiter');
    const waiting = world.locks(process, short).acquire('x', { waitMs: 100 * minute });
    await scene.sleep(100);
    process.clocks.step(3_600_000);
    await world.until(waiting);
    expect(world.nowMs - sinceMs).toBeGreaterThanOrEqual(leaseMs);
  });

  it.each([
    ['none', undefined],
    ['0, as of what was handed over, or granted by a lock service', { N: '0' }],
    ['a negative one', { N: '-1000' }],
    ['a text', { S: 'long' }],
  ])('I2 watches nothing whose length is %s', async (_, length) => {
    const { scene, world, own } = await crashed();
    const { leaseMs: __, ...item } = world.items.get('x')!;
    world.items.set('x', { ...item, ...(length && { leaseMs: length }) } as typeof item);
    const error = await scene.failure(own.acquire('x', { waitMs: 5 * leaseMs }));
    expect(error).toMatchObject({ name: 'LockHeldError', holder: { owner: 'holder' } });
  });

  it('leaves a lease that was handed over for as long as was said', async () => {
    const { scene, world, lease, own } = await held();
    const handed = await world.until(lease.handOver({ leaseMs: 20 * leaseMs }));
    await scene.failure(own.acquire('x', { waitMs: 5 * leaseMs }));
    const next = await world.until(scene.locks('next', short).resume(handed));
    expect(next.isHeld).toBe(true);
    // From then on there is somebody who knows when it was asked for.
    expect(world.items.get('x')).toMatchObject({ leaseMs: { N: String(leaseMs) } });
  });
});

describe('a holder', () => {
  it('I2 gives its lease up when its length has passed since it asked, though the end in the store lies later', async () => {
    const { scene, world, lease, passedMs } = await held();
    scene.before = async ({ process }) => {
      if (process === 'holder') throw Object.assign(new Error('cut off'), { name: 'TimeoutError' });
    };
    // Its clock becomes narrower by other answers.
    lease.throwIfLost();
    await scene.sleep(leaseMs - passedMs());
    expect(lease.isHeld).toBe(false);
    expect(Number(world.items.get('x')!.expiresAt!.N)).toBeGreaterThan(world.nowMs);
  });

  it('I2 counts a grant that it adopts from before the attempt that was granted', async () => {
    const scene = kitScene();
    const { world } = scene;
    // Nothing of the lease is spare: it is written whole, and the clock becomes narrower with each answer.
    const own = scene.locks('own', { ...short, leaseMs: 6_000, renewEveryMs: 5_100 });
    await world.until(own.inspect('x'));
    scene.after = async ({ operation }) => {
      if (operation !== 'UpdateItemCommand') return;
      await world.loop.sleep(2_000);
      throw Object.assign(new Error('cut off'), { name: 'TimeoutError' });
    };
    const sinceMs = world.nowMs;
    const lease = await world.until(own.acquire('x', { waitMs: minute }));
    expect(scene.writesOf('own')).toBe(2);
    expect(lease.remainingMs).toBeLessThanOrEqual(6_000 - (world.nowMs - sinceMs));
  });

  it('I2 believes in a grant that it adopts for no longer than the item says, whatever it asks for by then', async () => {
    const scene = kitScene();
    const { world } = scene;
    const own = scene.locks('own', { ...short, leaseMs: 6_000 });
    await world.until(own.inspect('x'));
    let writes = 0;
    scene.after = async ({ operation }) => {
      if (operation !== 'UpdateItemCommand' || ++writes > 1) return;
      throw Object.assign(new Error('cut off'), { name: 'TimeoutError' });
    };
    // The wall clock that it is counted by was set back in between.
    const endsInMs = () => (writes > 0 ? 6_000 : 3_000);
    const lease = await world.until(own.acquire('x', { waitMs: minute, endsInMs }));
    expect(world.items.get('x')).toMatchObject({ leaseMs: { N: '3000' } });
    expect(lease.remainingMs).toBeLessThanOrEqual(3_000);
  });

  it('whose lease ran out here, and can’t be given back now, has it given back later: in the store it may run on', async () => {
    const { scene, world, lease } = await held();
    let isCut = true;
    scene.before = async ({ process }) => {
      if (process === 'holder' && isCut) throw Object.assign(new Error('cut off'), { name: 'TimeoutError' });
    };
    await scene.sleep(leaseMs);
    expect(lease.isHeld).toBe(false);
    expect(await world.until(lease.release())).toBe('lost');
    isCut = false;
    await scene.sleep(500);
    expect(scene.isHeld('x')).toBe(false);
  });
});
