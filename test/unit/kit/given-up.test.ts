import { expect, it } from 'vitest';
import type { LockClient } from '../../../lib/client/index.js';
import { StoreError } from '../../../lib/errors/index.js';
import { lineName } from '../../../lib/kit/line-store.js';
import { passingFailure } from '../../../lib/kit/lock-host.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { kitScene, trouble } from '../../support/kit/kit-scene.js';

usePlainAbort();

const waits: readonly (readonly [string, (locks: LockClient, signal: AbortSignal) => Promise<unknown>])[] = [
  ['in line', (locks, signal) => locks.acquire('a', { waitMs: 60_000, fair: true, signal })],
  [
    'for a permit',
    (locks, signal) => locks.semaphore('a', { permits: 2 }).acquire({ waitMs: 60_000, signal }),
  ],
  [
    'to read',
    (locks, signal) => locks.readWriteLock('a', { readers: 2 }).acquireRead({ waitMs: 60_000, signal }),
  ],
  [
    'to write',
    (locks, signal) => locks.readWriteLock('a', { readers: 2 }).acquireWrite({ waitMs: 60_000, signal }),
  ],
  ['to lead', (locks, signal) => locks.lead('a', async () => {}, { signal })],
];

// Whichever of its requests fails, and whichever of them is the last before the caller gives up.
it.each(waits)(
  'whoever gives up is told so, also where a request has failed just before: %s',
  async (_, wait) => {
    let giving = 0;
    for (let failed = 0; failed < 6; failed++) {
      for (let last = failed; last < 9; last++) {
        const scene = kitScene();
        const gaveUp = new AbortController();
        scene.before = async () => {
          const count = scene.asked.length - 1;
          if (count === last) gaveUp.abort(new Error('no longer wanted'));
          if (count === failed) throw trouble();
        };
        const failure = scene.failure(wait(scene.locks('own'), gaveUp.signal));
        const told = await failure.catch(() => undefined);
        if (!told) continue;
        giving += 1;
        expect({ failed, last, told: told.message }).toEqual({ failed, last, told: 'no longer wanted' });
      }
    }
    expect(giving).toBeGreaterThan(5);
  },
);

it('whoever gives up while its ticket is still on its way to the line leaves none behind', async () => {
  const scene = kitScene();
  const { world } = scene;
  const line = lineName('a');
  await world.until(scene.locks('holder').acquire('a', { leaseMs: 600_000 }));
  const gaveUp = new AbortController();
  const client = world.client(world.process('own'));
  // As the SDK does: what was sent arrives, although its caller has been told that it was aborted.
  const late = async (...[command, options]: Parameters<typeof client.send>) => {
    const { Key, UpdateExpression } = command.input as {
      Key?: { name?: { S?: string } };
      UpdateExpression?: string;
    };
    if (Key?.name?.S !== line || !UpdateExpression || gaveUp.signal.aborted)
      return client.send(command, options);
    const arrives = world.loop.sleep(50).then(() => client.send(command));
    gaveUp.abort(new Error('no longer wanted'));
    const { abortSignal } = options as { readonly abortSignal?: AbortSignal };
    if (abortSignal?.aborted) throw abortSignal.reason;
    return arrives;
  };
  const own = scene.locks('own', { client: { send: late } as never });
  const waiting = own.acquire('a', { fair: true, waitMs: 60_000, signal: gaveUp.signal });
  expect((await scene.failure(waiting)).message).toBe('no longer wanted');
  await scene.sleep(1_000);
  expect(world.items.get(line)?.tickets?.L).toEqual([]);
});

it('a failure that is heard of when its caller has just given up is the caller’s own reason, whatever failed', () => {
  const given = (retryable: boolean) =>
    new StoreError('no answer', 'a', { retryable, mayHaveApplied: false });
  const reason = new Error('no longer wanted');
  for (const failure of [given(true), given(false), new Error('a bug')]) {
    expect(() => passingFailure(failure, AbortSignal.abort(reason))).toThrow(reason);
  }
  // Else what passes is a part of waiting, and the rest is not.
  const { signal } = new AbortController();
  const passing = given(true);
  expect(passingFailure(passing, signal)).toBe(passing);
  for (const failure of [given(false), new Error('a bug')]) {
    expect(() => passingFailure(failure, signal)).toThrow(failure);
  }
});
