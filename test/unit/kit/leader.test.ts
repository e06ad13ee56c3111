import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { LockLostError } from '../../../lib/errors/index.js';
import type { Leading } from '../../../lib/kit/leader.js';
import type { Lease } from '../../../lib/lease/index.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { EventLog } from '../../support/event-log.js';
import { denial, kitScene, trouble } from '../../support/kit/kit-scene.js';

usePlainAbort();

type Scene = ReturnType<typeof kitScene>;

/** Its leader looks every two seconds. */
const short = { leaseMs: 6_000 };

/** Work that goes on until it is told to stop, and then stops as it is told to. */
function untilTold(stop: (leading: Leading, lease: Lease) => unknown) {
  const begun: { readonly atMs: number; readonly lease: Lease }[] = [];
  const work = (world: Scene['world']) => (lease: Lease, leading: Leading) =>
    new Promise<unknown>((resolve, reject) => {
      begun.push({ atMs: world.nowMs, lease });
      const end = () => {
        try {
          resolve(stop(leading, lease));
        } catch (error) {
          reject(error);
        }
      };
      if (leading.signal.aborted) end();
      leading.signal.addEventListener('abort', end);
    });
  return { begun, work };
}

/** The ways in which work says that it stopped since it was told to. */
const ways: readonly (readonly [string, (leading: Leading, lease: Lease) => unknown])[] = [
  ['returns', () => 'stopped'],
  ['throws the signal’s reason', ({ signal }) => signal.throwIfAborted()],
  [
    'throws an AbortError',
    () => {
      throw new DOMException('stopped', 'AbortError');
    },
  ],
  [
    'throws what the reason caused',
    ({ signal }) => {
      throw new Error('stopped', { cause: signal.reason });
    },
  ],
  [
    'throws a LockLostError',
    (_, { token }) => {
      throw new LockLostError('scheduler', 'expired', token);
    },
  ],
];

/** An operator asks the leader to go. */
async function ask(scene: Scene): Promise<void> {
  const operator = scene.locks('operator');
  const info = await scene.world.until(operator.inspect('scheduler'));
  await scene.world.until(operator.requestRelease('scheduler', info!.leaseId!));
}

describe('a leader', () => {
  it.each(ways)(
    'that is asked to go, and whose work then %s, leaves the lead to the others, and leads again',
    async (_, stop) => {
      using log = new EventLog();
      const scene = kitScene();
      const { begun, work } = untilTold(stop);
      const end = new AbortController();
      const leading = scene
        .locks('own')
        .lead('scheduler', work(scene.world), { ...short, owner: 'me', signal: end.signal });
      const over = endOf(leading);
      await scene.sleep(1_000);
      await ask(scene);
      const askedMs = scene.world.nowMs;
      await scene.sleep(15_000);
      expect(begun.length).toBe(2);
      const [first, second] = begun;
      expect(second!.lease.token).toBeGreaterThan(first!.lease.token);
      // Told by the next renewal, and three seconds later.
      expect(second!.atMs - askedMs).toBeGreaterThan(3_000);
      expect(second!.atMs - askedMs).toBeLessThan(3_000 + 2_200);
      const { owner, token, leaseId } = first!.lease;
      const event = { name: 'scheduler', owner, token, leaseId };
      expect(owner).toBe('me');
      expect(log.of('elected')[0]).toEqual(event);
      expect(log.of('lead-ended')).toEqual([{ ...event, why: 'asked' }]);
      end.abort(new Error('enough'));
      await scene.world.until(over);
    },
  );

  it.each(ways)(
    'that lost its lease, and whose work then %s, leads again under a higher token',
    async (_, stop) => {
      using log = new EventLog();
      const scene = kitScene();
      const { begun, work } = untilTold(stop);
      const end = new AbortController();
      const over = endOf(
        scene.locks('own').lead('scheduler', work(scene.world), { ...short, signal: end.signal }),
      );
      await scene.sleep(1_000);
      await scene.breakLease('scheduler');
      const brokenMs = scene.world.nowMs;
      await scene.sleep(4_000);
      expect(log.of('lead-ended').map(({ why }) => why)).toEqual(['lost']);
      expect(begun.length).toBe(2);
      expect(begun[1]!.atMs - brokenMs).toBeLessThan(2_500);
      expect(begun[1]!.lease.token).toBeGreaterThan(begun[0]!.lease.token);
      end.abort(new Error('enough'));
      await scene.world.until(over);
    },
  );

  it.each(ways)(
    'whose caller ends it, and whose work then %s, has released before the caller hears of it',
    async (way, stop) => {
      using log = new EventLog();
      const scene = kitScene();
      const { work } = untilTold(stop);
      const end = new AbortController();
      const leading = scene.locks('own').lead('scheduler', work(scene.world), { signal: end.signal });
      scene.after_ms(1_000, () => end.abort(new Error('enough')));
      if (way === 'returns') expect(await scene.world.until(leading)).toBe('stopped');
      else expect((await scene.failure(leading)).message).toBe('enough');
      expect(scene.isHeld('scheduler')).toBe(false);
      expect(log.of('lead-ended').map(({ why }) => why)).toEqual(['ended']);
    },
  );

  it('answers what its work does, throws what its work throws, and has released before', async () => {
    using log = new EventLog();
    const scene = kitScene();
    const { locks, world } = scene;
    expect(await world.until(locks('own').lead('scheduler', () => 7))).toBe(7);
    expect(scene.isHeld('scheduler')).toBe(false);
    const broken = new Error('mine');
    const other = new DOMException('not told to', 'AbortError');
    for (const mine of [broken, other]) {
      const begun: Lease[] = [];
      const work = (lease: Lease) => {
        if (begun.push(lease) > 3) throw new Error('again and again');
        return Promise.reject(mine);
      };
      expect(await scene.failure(locks('own').lead('scheduler', work))).toBe(mine);
      expect(scene.isHeld('scheduler')).toBe(false);
    }
    expect(log.of('lead-ended').map(({ why }) => why)).toEqual(['ended', 'ended', 'ended']);
  });

  it('throws its work’s own error, also where it was asked to go, and when its lease was lost', async () => {
    const scene = kitScene();
    const mine = new Error('mine');
    for (const end of [ask, (own: Scene) => own.breakLease('scheduler')]) {
      const { work } = untilTold(() => {
        throw mine;
      });
      const over = endOf(scene.locks('own').lead('scheduler', work(scene.world), short));
      await scene.sleep(1_000);
      await end(scene);
      expect(await scene.world.until(over)).toBe(mine);
    }
  });

  it('does not leave the lead to others where it lost it unasked, and does where it was asked before', async () => {
    using log = new EventLog();
    const scene = kitScene();
    const { world } = scene;
    const begun: number[] = [];
    const end = new AbortController();
    const own = world.process('own');
    const locks = world.locks(own);
    const work = async (lease: Lease, { signal }: Leading) => {
      begun.push(world.nowMs);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      // Slow to stop: its lease runs out meanwhile.
      if (begun.length === 1) await own.block(10_000);
      await world.loop.sleep(1);
      void lease;
    };
    const over = endOf(
      locks.lead('scheduler', work, { ...short, stepDownPauseMs: 30_000, signal: end.signal }),
    );
    await scene.sleep(1_000);
    await ask(scene);
    await scene.sleep(60_000);
    expect(begun.length).toBe(2);
    expect(log.of('lead-ended').map(({ why }) => why)).toEqual(['lost']);
    expect(begun[1]! - begun[0]!).toBeGreaterThan(40_000);
    await scene.breakLease('scheduler');
    await scene.sleep(5_000);
    expect(begun.length).toBe(3);
    end.abort(new Error('enough'));
    await scene.world.until(over);
  });

  it('pauses as long as it was told to after it was asked, and ends that pause with its signal', async () => {
    const scene = kitScene();
    const { begun, work } = untilTold(() => 'stopped');
    const end = new AbortController();
    const options = { ...short, stepDownPauseMs: 20_000, signal: end.signal };
    const over = endOf(scene.locks('own').lead('scheduler', work(scene.world), options));
    await scene.sleep(1_000);
    await ask(scene);
    await scene.sleep(10_000);
    end.abort(new Error('enough'));
    const endedMs = scene.world.nowMs;
    expect(await scene.world.until(over)).toMatchObject({ message: 'enough' });
    expect(scene.world.nowMs).toBe(endedMs);
    expect(begun.length).toBe(1);
  });

  it('leaves nothing behind at its caller’s signal', async () => {
    const scene = kitScene();
    const end = new AbortController();
    const listening = new Set<unknown>();
    let began = 0;
    const { signal } = end;
    const counted = Object.create(signal, {
      aborted: { get: () => signal.aborted },
      reason: { get: () => signal.reason },
      throwIfAborted: { value: () => signal.throwIfAborted() },
      addEventListener: {
        value: (...args: Parameters<AbortSignal['addEventListener']>) => {
          began += 1;
          listening.add(args[1]);
          signal.addEventListener(...args);
        },
      },
      removeEventListener: {
        value: (...args: Parameters<AbortSignal['removeEventListener']>) => {
          listening.delete(args[1]);
          expect(args[0]).toBe('abort');
          signal.removeEventListener(...args);
        },
      },
    });
    await scene.world.until(scene.locks('own').lead('scheduler', () => 7, { signal: counted }));
    expect(began).toBeGreaterThan(0);
    expect(listening.size).toBe(0);
  });
});

describe('work of a leader', () => {
  it('is told at once where it was ended before it began', async () => {
    const scene = kitScene();
    const end = new AbortController();
    const told: boolean[] = [];
    const elected = () => end.abort(new Error('enough'));
    subscribe('leasehold:elected', elected);
    const work = (_: Lease, { signal }: Leading) => told.push(signal.aborted);
    await scene.world.until(endOf(scene.locks('own').lead('scheduler', work, { signal: end.signal })));
    unsubscribe('leasehold:elected', elected);
    expect(told).toEqual([true]);
  });

  it('that finds its lease lost before anybody told it so has not failed', async () => {
    const scene = kitScene();
    const own = scene.world.process('own');
    const tokens: number[] = [];
    const work = async (lease: Lease) => {
      tokens.push(lease.token);
      if (tokens.length > 1) return 'led';
      own.pause(20_000);
      // It wakes with this, before its timers.
      await scene.world.loop.sleep(20_000 - 0.5);
      lease.throwIfLost();
      return 'it was not lost';
    };
    const led = scene.world.locks(own).lead('scheduler', work, short);
    expect(await scene.world.until(led)).toBe('led');
    expect(tokens).toHaveLength(2);
  });
});

describe('a campaign', () => {
  it('has no end: longer than an hour, somebody else leading', async () => {
    const scene = kitScene();
    const hour = 3_600_000;
    const other = await scene.world.until(scene.locks('other').acquire('scheduler', { leaseMs: hour }));
    const calm = scene.locks('own', { pollFloorMs: 20_000, pollCeilingMs: 60_000 });
    const leading = calm.lead('scheduler', () => 'led');
    await scene.sleep(2 * hour);
    await scene.world.until(other.release());
    expect(await scene.world.until(leading)).toBe('led');
  });

  it('goes on after an hour of trouble of the store', async () => {
    const scene = kitScene();
    const overMs = scene.world.nowMs + 3_700_000;
    scene.before = async () => {
      if (scene.world.nowMs < overMs) throw trouble();
    };
    const locks = scene.locks('own', { pollFloorMs: 20_000, pollCeilingMs: 60_000 });
    expect(await scene.world.until(locks.lead('scheduler', () => 'led'))).toBe('led');
  });

  it('goes on at a line that is full, a second later each time', async () => {
    const scene = kitScene();
    const other = await scene.world.until(scene.locks('other').acquire('scheduler'));
    fillLine(scene);
    const joinedMs: number[] = [];
    scene.before = async ({ process, operation, key }) => {
      if (process === 'own' && operation === 'UpdateItemCommand' && key.endsWith('line'))
        joinedMs.push(scene.world.nowMs);
    };
    const end = new AbortController();
    const ended = endOf(
      scene.locks('own').lead('scheduler', () => 'led', { fair: true, signal: end.signal }),
    );
    await scene.sleep(1_500);
    end.abort(new Error('enough'));
    const endedMs = scene.world.nowMs;
    expect(await scene.world.until(ended)).toMatchObject({ message: 'enough' });
    expect(scene.world.nowMs - endedMs).toBeLessThan(10);
    joinedMs.length = 0;
    scene.after_ms(8_000, () => other.release());
    const led = scene.locks('own').lead('scheduler', () => 'led', { fair: true });
    expect(await scene.world.until(led)).toBe('led');
    const gaps = joinedMs.slice(1).map((ms, i) => ms - joinedMs[i]!);
    expect(gaps.length).toBeGreaterThan(4);
    // And what the requests of a try take.
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(1_000);
    for (const gap of gaps) expect(gap).toBeLessThan(1_100);
  });

  it('ends with what does not pass, and with its caller’s signal also while the store is in trouble', async () => {
    const scene = kitScene();
    scene.before = async () => {
      throw denial();
    };
    const denied = await scene.failure(scene.locks('own').lead('scheduler', () => 7));
    expect(denied).toMatchObject({ name: 'StoreError', retryable: false });
    scene.before = async () => {
      throw trouble();
    };
    const end = new AbortController();
    scene.after_ms(5_000, () => end.abort(new Error('enough')));
    const startMs = scene.world.nowMs;
    const over = await scene.failure(scene.locks('own').lead('scheduler', () => 7, { signal: end.signal }));
    expect(over.message).toBe('enough');
    expect(scene.world.nowMs - startMs).toBeLessThan(5_100);
  });

  it('that is out of its caller’s own time has waited for nothing', async () => {
    const scene = kitScene();
    const over = await scene.failure(scene.locks('own').lead('scheduler', () => 7, { endsInMs: () => 0 }));
    expect(over).toMatchObject({ name: 'LockHeldError', lockName: 'scheduler', waitedMs: 0 });
    expect(scene.asked).toEqual([]);
  });
});

/** What a call ends with, one way or the other; no time passes for it. */
const endOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error) => error);

/** A hundred tickets that are still good. */
function fillLine({ world }: Scene): void {
  const until = Math.ceil(world.nowMs + 10_000);
  const tickets = Array.from({ length: 100 }, (_, i) => ({ S: `${until} t${i}` }));
  const name = 'scheduler\u001fline';
  world.items.set(name, { name: { S: name }, tickets: { L: tickets } });
}
