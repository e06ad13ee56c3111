import { expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import '../../simulation/run/loaded.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { endsOfHangingRequests } from '../../support/hanging-requests.js';
import { listenedSignal } from '../../support/listened-signal.js';

usePlainAbort();

type Options = { readonly signal: AbortSignal };
type Call = (locks: LockClient, options: Options) => Promise<unknown>;

async function allOf(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of list);
}

/** Of locks that nobody has, that somebody else has, and whose work is done. What is done is written down in any case. */
const calls: readonly [string, Call, number?][] = [
  ['acquire', (locks, options) => locks.acquire('free', options)],
  [
    'acquire of what somebody has',
    (locks, options) => locks.acquire('held', { ...options, waitMs: 100_000 }),
  ],
  [
    'acquire that supersedes',
    (locks, options) => locks.acquire('held', { ...options, supersede: true, owner: 'holder' }),
  ],
  ['acquire of what was had by a clock ahead', (locks, options) => locks.acquire('ahead', options), 3],
  ['tryAcquire', (locks, options) => locks.tryAcquire('free', options)],
  ['once', (locks, options) => locks.once('free', async () => 1, options), 2],
  [
    'cronSlot',
    (locks, options) => locks.cronSlot('free', Date.UTC(2031, 4, 7, 11), async () => 1, options),
    2,
  ],
  ['claimNext', (locks, options) => locks.claimNext(['held', 'free'], options)],
  ['inspect', (locks, options) => locks.inspect('held', options)],
  ['list', (locks, options) => allOf(locks.list(options))],
  ['list of a group', (locks, options) => allOf(locks.list({ ...options, group: 'g' }))],
  ['break', (locks, options) => locks.break('held', 'any', options)],
  ['reopen', (locks, options) => locks.reopen('done', options)],
  ['requestRelease', (locks, options) => locks.requestRelease('held', 'any', options)],
  ['semaphore', (locks, options) => locks.semaphore('permits', { permits: 2 }).acquire(options)],
  ['acquireAll', (locks, options) => locks.acquireAll(['free', 'also free'], options)],
];

async function prepare(world: VirtualWorld): Promise<void> {
  const holder = world.locks(world.process('holder'));
  await holder.acquire('held', { group: 'g' });
  await (await holder.acquire('done')).complete('all');
  // Free, and its last token lies ahead: granted by a second write, above that.
  await (await holder.acquire('ahead')).release();
  const version = { N: String(Math.ceil(world.nowMs) + 60_000) };
  world.items.set('ahead', { ...world.items.get('ahead')!, version });
}

it.each(calls)(
  'C17 %s is given up with its signal, whichever of its requests is under way: its own reason',
  async (_, call, most) => {
    const ends = await endsOfHangingRequests(
      ({ world, client, signal }) => call(world.locks(world.process('caller'), { client }), { signal }),
      prepare,
      most,
    );
    expect(ends.length).toBeGreaterThan(0);
    for (const [index, end] of ends.entries())
      expect(end).toMatchObject({ message: `given up at request ${index}` });
  },
);

it('C17 a release is given up with the signal that it was called with, and may have been applied', async () => {
  const [, , end] = await endsOfHangingRequests(
    async ({ world, client, signal }) => {
      const lease = await world.locks(world.process('caller'), { client }).acquire('free', { signal });
      return lease.release(undefined, signal);
    },
    prepare,
    3,
  );
  expect(end).toMatchObject({ name: 'StoreError', mayHaveApplied: true });
});

it.each<[string, Call]>([
  ...calls.map(([name, call]): [string, Call] => [name, call]),
  ['acquireWrite', (locks, options) => locks.readWriteLock('pages', { readers: 2 }).acquireWrite(options)],
  ['acquireRead', (locks, options) => locks.readWriteLock('pages', { readers: 2 }).acquireRead(options)],
  ['acquire in line', (locks, options) => locks.acquire('held', { ...options, fair: true, waitMs: 5_000 })],
  [
    'acquire behind a call of its own process',
    async (locks, options) => {
      await locks.acquire('own');
      return locks.acquire('own', { ...options, waitMs: 5_000 });
    },
  ],
])('C17 %s leaves nobody listening to its caller’s signal, which may go on for days', async (_, call) => {
  const world = new VirtualWorld(1);
  await world.until(prepare(world));
  const { signal, listeners } = listenedSignal();
  await world.until(call(world.locks(world.process('caller')), { signal }).catch(() => {}));
  expect(listeners()).toBe(0);
});
