import { describe, expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import type { LockHeldError } from '../../../lib/errors/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

type Held = AsyncDisposable;
type Ask = (locks: LockClient, waitMs: number) => Promise<Held>;

/** How each kind is held, and asked for by somebody who waits for so long. */
const kinds: readonly (readonly [string, (locks: LockClient) => Promise<Held>, Ask])[] = [
  ['a lock', (locks) => locks.acquire('a', { waitMs: 0 }), (locks, waitMs) => locks.acquire('a', { waitMs })],
  [
    'a lock, in line',
    (locks) => locks.acquire('a', { waitMs: 0 }),
    (locks, waitMs) => locks.acquire('a', { waitMs, fair: true }),
  ],
  ['a permit', (locks) => permits(locks).acquire(), (locks, waitMs) => permits(locks).acquire({ waitMs })],
  [
    'a read lock',
    (locks) => catalog(locks).acquireWrite(),
    (locks, waitMs) => catalog(locks).acquireRead({ waitMs }),
  ],
  [
    'a write lock',
    (locks) => catalog(locks).acquireWrite(),
    (locks, waitMs) => catalog(locks).acquireWrite({ waitMs }),
  ],
];
const permits = (locks: LockClient) => locks.semaphore('a', { permits: 1 });
const catalog = (locks: LockClient) => locks.readWriteLock('a', { readers: 1 });

describe('who is told to hold what can’t be had', () => {
  it.each(kinds)(
    'C30 nobody, where it is a lease of one’s own that is given back: %s',
    async (_, hold, ask) => {
      const world = new VirtualWorld(1);
      const [own, other] = [world.locks(world.process('own')), world.locks(world.process('other'))];
      const held = await world.until(hold(own));
      world.throttles = (process, operation) => process === 'own' && operation === 'UpdateItemCommand';
      await world.until((async () => held[Symbol.asyncDispose]())());
      await expectHeldForOthersOnly(world, own, other, ask);
    },
  );

  it.each(kinds)(
    'C30 nobody, where a late copy of one’s own refused request has made a lease: %s',
    async (_, hold, ask) => {
      const world = new VirtualWorld(1);
      const [own, other] = [world.locks(world.process('own')), world.locks(world.process('other'))];
      const held = await world.until(hold(other));
      // So that its token, which is a time in whole seconds, would be larger.
      await world.until(world.loop.sleep(2_000));
      world.copiesAfterMs = (process) => (process === 'own' ? 300 : undefined);
      await world.until(refusalOf(hold(own)));
      world.copiesAfterMs = () => undefined;
      await world.until((async () => held[Symbol.asyncDispose]())());
      await world.until(world.loop.sleep(400));
      await expectHeldForOthersOnly(world, own, other, ask);
    },
  );

  it('nobody, where the holder has let go, and whoever asks in line gave up before its turn came', async () => {
    const world = new VirtualWorld(1);
    const [holder, dead, own] = ['holder', 'dead', 'own'].map((id) => world.process(id));
    const held = await world.until(world.locks(holder!).acquire('a'));
    // Both find the line empty and are refused, and then stand in it in this order.
    const [before, after] = [dead, own].map((process) =>
      world.locks(process!).acquire('a', { fair: true, waitMs: 1_000 }),
    );
    before!.catch(() => {});
    const waiting = refusalOf(after!);
    await world.until(world.loop.sleep(100));
    dead!.crash();
    await world.until(held.release());
    expect(await world.until(waiting)).toMatchObject({ name: 'LockHeldError', holder: undefined });
  });

  it('C30 its holder by the last look that was answered, where the lease is given back only after that', async () => {
    const world = new VirtualWorld(1);
    const locks = world.locks(world.process('own'));
    const held = await world.until(permits(locks).acquire());
    const waiting = refusalOf(permits(locks).acquire({ waitMs: 500 }));
    await world.until(world.loop.sleep(400));
    world.throttles = (process) => process === 'own';
    await world.until((async () => held[Symbol.asyncDispose]())());
    expect(await world.until(waiting)).toMatchObject({ name: 'LockHeldError', holder: { owner: 'own' } });
  });
});

/** By a lease of `own`, which nobody has any more: the others are told of it, and `own` is not. */
async function expectHeldForOthersOnly(world: VirtualWorld, own: LockClient, other: LockClient, ask: Ask) {
  for (const waitMs of [0, 300]) {
    const error = await world.until(refusalOf(ask(own, waitMs)));
    expect(error.holder).toBeUndefined();
    expect(await world.until(refusalOf(ask(other, waitMs)))).toMatchObject({
      name: 'LockHeldError',
      holder: { owner: 'own' },
    });
  }
}

async function refusalOf(asking: Promise<Held>): Promise<LockHeldError> {
  return asking.then(
    () => Promise.reject(new Error('it was had')),
    (error) => error,
  );
}
