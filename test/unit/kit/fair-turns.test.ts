import { describe, expect, it } from 'vitest';
import { lineName } from '../../../lib/kit/line-store.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { EventLog } from '../../support/event-log.js';
import { denial, kitScene, trouble } from '../../support/kit/kit-scene.js';

usePlainAbort();

const minute = 60_000;
const name = 'n';
const line = lineName(name);

function scene() {
  const own = kitScene();
  const { world } = own;
  const tickets = () => (world.items.get(line)?.tickets?.L ?? []).map(({ S }) => S!);
  return {
    ...own,
    own,
    tickets,
    ids: () => tickets().map((text) => text.slice(text.indexOf(' ') + 1)),
    /** Those that stand in line: each with how long its deadline is still to come, in milliseconds. */
    put: (...waiters: readonly (readonly [id: string, forMs: number])[]) =>
      void world.items.set(line, {
        name: { S: line },
        tickets: { L: waiters.map(([id, forMs]) => ({ S: `${Math.ceil(world.nowMs + forMs)} ${id}` })) },
      }),
    hold: (options = {}) => world.until(own.locks('holder').acquire(name, { leaseMs: 600_000, ...options })),
    /** When a process read the line. */
    looksOf(process: string) {
      const looks: number[] = [];
      const { before } = own;
      own.before = async (asked) => {
        await before(asked);
        if (asked.process === process && asked.key === line && asked.operation === 'GetItemCommand')
          looks.push(world.nowMs);
      };
      return looks;
    },
    fair: (process: string, options = {}) =>
      own.locks(process).acquire(name, { fair: true, waitMs: minute, ...options }),
  };
}

const gapsOf = (looks: readonly number[]) => looks.slice(1).map((ms, i) => ms - looks[i]!);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
/** Two reads at once. */
const readMs = 4;

describe('whoever joins a line', () => {
  it('has tried, stands at its end until its wait is over by the store’s time, and tells how long the line is', async () => {
    using log = new EventLog();
    const { hold, put, fair, ids, tickets, world, sleep, own } = scene();
    await hold();
    put(['gone', -5_000], ['a', minute], ['b', minute]);
    const startMs = world.nowMs;
    const waiting = fair('own', { waitMs: 30_000, owner: 'me' }).catch((error) => error);
    await sleep(1_000);
    expect(ids().slice(0, 3)).toEqual(['gone', 'a', 'b']);
    expect(ids()).toHaveLength(4);
    const deadline = Number(tickets().at(-1)!.split(' ')[0]);
    // The store’s time is known to a second.
    expect(deadline - startMs).toBeGreaterThan(30_000 - 100);
    expect(deadline - startMs).toBeLessThan(31_100);
    expect(log.of('line-joined')).toEqual([{ name, owner: 'me', length: 3 }]);
    // Behind the living nobody tries.
    const writes = own.asked.filter(
      ({ process, operation }) => process === 'own' && operation === 'UpdateItemCommand',
    );
    expect(writes.map(({ key }) => key)).toEqual([line]);
    expect(await world.until(waiting)).toMatchObject({ name: 'LockHeldError' });
    expect(world.nowMs - startMs).toBeLessThan(30_500);
    expect(ids()).toEqual(['gone', 'a', 'b']);
  });

  it('tries first where those that stand there are past their time, and joins when it is refused', async () => {
    const { hold, put, fair, own, world, sleep, ids } = scene();
    const held = await hold();
    put(['gone', -5_000]);
    const waiting = fair('own');
    await sleep(1_000);
    const writes = own.asked.filter(
      ({ process, operation }) => process === 'own' && operation === 'UpdateItemCommand',
    );
    expect(writes.map(({ key }) => key).slice(0, 2)).toEqual([name, line]);
    // The first clears away who is gone.
    expect(ids()).toHaveLength(1);
    await world.until(held.release());
    expect((await world.until(waiting)).isHeld).toBe(true);
    expect(ids()).toEqual([]);
  });

  it('waits on where it can’t clear away who is gone, and does so when it can', async () => {
    const { hold, put, fair, own, ids, world, sleep } = scene();
    const held = await hold();
    put(['gone', -5_000]);
    let troubles = 0;
    own.before = async ({ process, operation, key }) => {
      const isClearing =
        process === 'own' && operation === 'UpdateItemCommand' && key === line && ids().length > 1;
      if (isClearing && troubles++ < 3) throw trouble();
    };
    const waiting = fair('own');
    await sleep(3_000);
    expect(troubles).toBe(4);
    expect(ids()).toHaveLength(1);
    await world.until(held.release());
    expect((await world.until(waiting)).isHeld).toBe(true);
  });

  it('that would not wait leaves no ticket', async () => {
    const { hold, fair, own, world, ids } = scene();
    await hold();
    const refused = await own.failure(fair('own', { waitMs: undefined }));
    expect(refused).toMatchObject({ name: 'LockHeldError', lockName: name, holder: { owner: 'holder' } });
    expect(ids()).toEqual([]);
    expect(own.asked.filter(({ process, key }) => process === 'own' && key === line)).toHaveLength(1);
    expect(world.items.has(line)).toBe(false);
  });

  it('is not cut off by its caller while it joins: no ticket stays behind', async () => {
    const { hold, fair, own, ids, sleep } = scene();
    await hold();
    const caller = new AbortController();
    own.before = async ({ process, operation, key }) => {
      if (process === 'own' && operation === 'UpdateItemCommand' && key === line)
        caller.abort(new Error('enough'));
    };
    const over = await own.failure(fair('own', { signal: caller.signal }));
    expect(over.message).toBe('enough');
    await sleep(5_000);
    expect(ids()).toEqual([]);
  });
});

describe('whoever stands in line', () => {
  it.each([
    ['the head at the floor and up to half as much again', 200, 0, [200, 300], 250],
    ['the head of a slow client so often that nobody passes it', 5_000, 0, [1_400, 1_400], 1_400],
    ['the second of two at twice the floor, a quarter more or less', 200, 1, [300, 500], 400],
    ['the third of three at four times the floor', 200, 2, [600, 1_000], 800],
    ['the second of a slow client', 5_000, 1, [1_050, 1_750], 1_400],
  ])('looks %s', async (_, pollFloorMs, ahead, [least, most], expected) => {
    const { hold, put, fair, own, looksOf, sleep } = scene();
    await hold();
    put(...Array.from({ length: ahead }, (_, i) => [`w${i}`, 10 * minute] as const));
    own.locks('own', { pollFloorMs });
    const looks = looksOf('own');
    fair('own', { waitMs: 10 * minute }).catch(() => {});
    await sleep(minute);
    const gaps = gapsOf(looks.slice(3));
    expect(gaps.length).toBeGreaterThan(20);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(least! + readMs - 0.01);
    expect(Math.max(...gaps)).toBeLessThan(most! + readMs + 1);
    expect(Math.abs(mean(gaps) - readMs - expected)).toBeLessThan(expected / 12);
  });

  it('looks less often in a longer line: all behind the head so often together as six tenths of the head', async () => {
    const { hold, put, fair, own, looksOf, sleep } = scene();
    await hold();
    put(['w0', 10 * minute], ['w1', 10 * minute], ['w2', 10 * minute]);
    own.locks('own', { pollFloorMs: 100 });
    const looks = looksOf('own');
    fair('own', { waitMs: 10 * minute }).catch(() => {});
    await sleep(minute);
    // Of four the last, at place 3: (1/2 + 1/4 + 1/6) / 0.6 times six floors.
    const expected = 600 * ((1 / 2 + 1 / 4 + 1 / 6) / 0.6);
    const gaps = gapsOf(looks.slice(3));
    expect(Math.abs(mean(gaps) - readMs - expected)).toBeLessThan(expected / 15);
  });

  it.each([
    [1, 2_000],
    [2, 4_000],
  ])(
    'with %d dead ahead takes the lock so much later than it has seen it free, and takes them out',
    async (dead, graceMs) => {
      const { hold, put, fair, world, sleep, ids } = scene();
      const held = await hold();
      put(...Array.from({ length: dead }, (_, i) => [`dead-${i}`, 10 * minute] as const));
      const waiting = fair('own');
      await sleep(5_000);
      await world.until(held.release());
      const freeMs = world.nowMs;
      const lease = await world.until(waiting);
      expect(lease.isHeld).toBe(true);
      expect(world.nowMs - freeMs).toBeGreaterThanOrEqual(graceMs);
      expect(world.nowMs - freeMs).toBeLessThan(graceMs + 2 * 1_800);
      expect(ids()).toEqual([]);
    },
  );

  it('counts its grace anew when somebody had the lock in between, seen or not', async () => {
    for (const isSeen of [true, false]) {
      const { hold, put, fair, world, sleep } = scene();
      const held = await hold();
      put(['dead', 10 * minute]);
      const waiting = fair('own');
      await sleep(5_000);
      await world.until(held.release());
      await sleep(1_500);
      const again = await hold();
      await sleep(isSeen ? 3_000 : 1);
      await world.until(again.release());
      const freeMs = world.nowMs;
      await world.until(waiting);
      expect(world.nowMs - freeMs).toBeGreaterThanOrEqual(2_000 - (isSeen ? 0 : 1));
    }
  });

  it('leaves those ahead where they are when it gives up', async () => {
    const { hold, put, fair, own, ids } = scene();
    await hold();
    put(['a', minute], ['b', minute]);
    await own.failure(fair('own', { waitMs: 5_000 }));
    expect(ids()).toEqual(['a', 'b']);
  });

  it('joins again, at the end, when its ticket was taken out', async () => {
    const { hold, put, fair, sleep, ids, world } = scene();
    const held = await hold();
    const waiting = fair('own');
    await sleep(1_000);
    const [mine] = ids();
    put(['other', 10 * minute]);
    await sleep(3_000);
    expect(ids()).toEqual(['other', mine]);
    put([mine!, 10 * minute], ['other', 10 * minute]);
    await world.until(held.release());
    await world.until(waiting);
    // It was the first, and has passed nobody.
    expect(ids()).toEqual(['other']);
  });

  it('hears of a completion at once, whoever is ahead', async () => {
    const { hold, put, fair, world, sleep } = scene();
    const held = await hold();
    put(['a', 10 * minute]);
    const waiting = fair('own').catch((error) => error);
    await sleep(3_000);
    await world.until(held.complete('done'));
    const doneMs = world.nowMs;
    expect(await world.until(waiting)).toMatchObject({ name: 'AlreadyCompletedError', result: 'done' });
    expect(world.nowMs - doneMs).toBeLessThan(1_000);
  });

  it('takes its owner’s earlier lease over at once, and leaves the living ahead where they are', async () => {
    const { hold, put, fair, world, ids, own } = scene();
    await hold({ owner: 'me' });
    put(['a', 10 * minute]);
    const startMs = world.nowMs;
    const lease = await world.until(fair('own', { owner: 'me', supersede: true }));
    expect(lease.isHeld).toBe(true);
    expect(world.nowMs - startMs).toBeLessThan(1_000);
    expect(ids()).toEqual(['a']);
    const stranger = await own.failure(fair('other', { owner: 'you', supersede: true, waitMs: 3_000 }));
    expect(stranger).toMatchObject({ name: 'LockHeldError', holder: { owner: 'me' } });
    // It has tried nothing.
    const tries = own.asked.filter(
      ({ process, operation, key }) =>
        process === 'other' && operation === 'UpdateItemCommand' && key === name,
    );
    expect(tries).toEqual([]);
  });

  it('does not try while the lock is left free for later, and waits its lock delay out', async () => {
    const { own, fair, world } = scene();
    const first = await world.until(own.locks('holder').acquire(name, { minHoldMs: 20_000 }));
    await world.until(first.release());
    const freeMs = world.nowMs;
    await world.until(fair('own'));
    expect(world.nowMs - freeMs).toBeGreaterThan(19_000);
    const writes = own.asked.filter(
      ({ process, operation, key }) => process === 'own' && operation === 'UpdateItemCommand' && key === name,
    );
    expect(writes.length).toBeLessThan(4);
  });
});

describe('whoever was granted the lock', () => {
  /** Sleeps past the end of its lease while it takes its ticket out, once. */
  function sleeper(own: ReturnType<typeof kitScene>) {
    const { world } = own;
    const process = world.process('sleeper');
    const client = world.client(process);
    let times = 0;
    const send = async (...args: Parameters<typeof client.send>) => {
      const [{ input, constructor: kind }] = args;
      const isLeaving = kind.name === 'UpdateItemCommand' && /REMOVE/.test(input.UpdateExpression ?? '');
      if (isLeaving && input.Key.name.S === line && times++ === 0) process.pause(20_000);
      return client.send(...args);
    };
    const locks = world.locks(process, { client: { send } as never });
    return { locks, times: () => times };
  }

  it.each([
    ['asks again where there is time', minute],
    ['is told that it can’t be had where there is none', 10_000],
  ])('and lost it before its ticket was out %s', async (_, waitMs) => {
    const { own, hold, world } = scene();
    const held = await hold();
    const { locks, times } = sleeper(own);
    own.after_ms(3_000, () => held.release());
    const asking = locks.acquire(name, { fair: true, waitMs, leaseMs: 6_000 });
    const end = await world.until(asking.catch((error) => error));
    expect(times()).toBeGreaterThan(0);
    if (waitMs === minute) expect(end.isHeld).toBe(true);
    else expect(end).toMatchObject({ name: 'LockHeldError', lockName: name });
    if (waitMs !== minute) expect(own.isHeld(name)).toBe(false);
  });
});

describe('whoever can’t reach the store', () => {
  it('looks as the head of a line does, until it has joined', async () => {
    const { own, fair, sleep, world } = scene();
    const locks = own.locks('own', { pollFloorMs: 200 });
    await world.until(locks.inspect('x'));
    const looks: number[] = [];
    own.before = async () => {
      looks.push(world.nowMs);
      throw trouble();
    };
    fair('own', { waitMs: 10 * minute }).catch(() => {});
    await sleep(minute);
    const gaps = gapsOf(looks);
    expect(gaps.length).toBeGreaterThan(100);
    expect(Math.max(...gaps)).toBeLessThan(310);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
  });
});

describe('whoever gives up in line', () => {
  it('is told who holds the lock, and what went wrong last', async () => {
    const { hold, fair, own, world } = scene();
    const held = await hold();
    const { token, leaseId } = held;
    const acquiredAt = Number(world.items.get(name)!.acquiredAt!.N);
    const plain = await own.failure(fair('own', { waitMs: 3_000 }));
    const holder = { owner: 'holder', token, leaseId, acquiredAt, remainingMs: expect.any(Number) };
    expect(plain).toMatchObject({
      name: 'LockHeldError',
      lockName: name,
      holder,
      cause: undefined,
      heldHere: false,
    });
    expect(plain.waitedMs).toBeGreaterThan(2_900);
    let looks = 0;
    own.before = async ({ process, operation }) => {
      if (process === 'own' && operation === 'GetItemCommand' && ++looks > 6) throw trouble();
    };
    const troubled = await own.failure(fair('own', { waitMs: 5_000 }));
    expect(troubled).toMatchObject({ name: 'LockHeldError', holder, cause: { name: 'StoreError' } });
  });

  it('is told of the store, where that is all that it has heard of; what has passed is not told', async () => {
    const { hold, fair, own, world } = scene();
    await hold();
    own.before = async ({ process }) => {
      if (process === 'own') throw trouble();
    };
    const startMs = world.nowMs;
    const alone = await own.failure(fair('own', { waitMs: 3_000 }));
    expect(alone).toMatchObject({ name: 'StoreError', retryable: true });
    expect(world.nowMs - startMs).toBeGreaterThan(2_900);
    let troubles = 0;
    own.before = async ({ process }) => {
      if (process === 'own' && troubles++ < 3) throw trouble();
    };
    const later = await own.failure(fair('own', { waitMs: 3_000 }));
    expect(later).toMatchObject({ name: 'LockHeldError', cause: undefined });
  });

  it('is told when the lock will be free, where nobody has it', async () => {
    const { own, fair, world } = scene();
    const first = await world.until(own.locks('holder').acquire(name, { minHoldMs: 20_000 }));
    await world.until(first.release());
    const error = await own.failure(fair('own', { waitMs: 5_000 }));
    expect(error).toMatchObject({ name: 'LockHeldError', holder: undefined });
    expect(error.freeInMs).toBeGreaterThan(13_000);
    expect(error.freeInMs).toBeLessThan(16_500);
  });

  it('hears at once of what does not pass, and of its own signal, its ticket taken out', async () => {
    const { hold, fair, own, world, sleep, ids } = scene();
    await hold();
    for (const wrong of [denial, trouble]) {
      const caller = new AbortController();
      own.before = async () => {};
      const waiting = fair('own', { signal: caller.signal }).catch((error) => error);
      await sleep(1_000);
      expect(ids()).toHaveLength(1);
      own.before = async ({ process, key, operation }) => {
        if (process !== 'own' || key !== name || operation === 'UpdateItemCommand') return;
        if (wrong === trouble) caller.abort(new Error('enough'));
        throw wrong();
      };
      const startMs = world.nowMs;
      const error = await world.until(waiting);
      if (wrong === denial) expect(error).toMatchObject({ name: 'StoreError', retryable: false });
      expect(world.nowMs - startMs).toBeLessThan(400);
      expect(ids()).toEqual([]);
    }
  });

  it('tries nothing any more once its caller’s own time is over', async () => {
    const { hold, fair, own, world } = scene();
    const held = await hold();
    let leftMs = 30_000;
    own.after_ms(1_000, () => held.release());
    own.after_ms(900, () => {
      leftMs = 0.5;
    });
    const end = await own.failure(fair('own', { endsInMs: () => leftMs, waitMs: 3_000 }));
    expect(end.name).toBe('LockHeldError');
    const tries = own.asked.filter(
      ({ process, operation, key }) => process === 'own' && operation === 'UpdateItemCommand' && key === name,
    );
    expect(tries).toHaveLength(1);
    expect(world.items.get(name)!.leaseId).toBeUndefined();
  });

  it.each([
    ['of which none is answered', 10 * minute],
    ['that are slow, each by itself in time', 1_900],
  ])('spends no longer on its ticket than on a request: on several %s', async (_, slowMs) => {
    const { hold, fair, own, world, ids } = scene();
    const held = await hold();
    own.locks('own', { requestTimeoutMs: 1_000, maxAttempts: 2 });
    let isOver = false;
    own.before = async ({ process, key }) => {
      if (isOver && process === 'own' && key === line) await world.loop.sleep(slowMs);
    };
    own.after = async ({ process, key, operation }) => {
      if (process === 'own' && key === name && operation === 'UpdateItemCommand' && ids().length > 0)
        isOver = true;
    };
    const waiting = fair('own');
    own.after_ms(3_000, () => held.release());
    const startMs = world.nowMs;
    const lease = await world.until(waiting);
    expect(lease.isHeld).toBe(true);
    expect(isOver).toBe(true);
    expect(world.nowMs - startMs).toBeGreaterThan(4_900);
    expect(world.nowMs - startMs).toBeLessThan(6_000);
    // What becomes of the ticket costs no lease.
    if (slowMs > minute) expect(ids()).toHaveLength(1);
  });
});
