import { describe, expect, it } from 'vitest';
import type { StoreClock } from '../../../lib/clock/store-clock.js';
import { dynamoTable, type ItemTable } from '../../../lib/table/index.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import { EventLog } from '../../support/event-log.js';
import { failureOf, kitScene, trouble } from '../../support/kit/kit-scene.js';

usePlainAbort();

const minute = 60_000;
/** A client whose looks lie so far apart that only an end that it knows of wakes it in time. */
const calm = { pollFloorMs: 20_000, pollCeilingMs: minute };

describe('whoever does not get a lock', () => {
  it('is told who holds it, since when, for how long, and what went wrong last', async () => {
    const scene = kitScene();
    const { world } = scene;
    const held = await world.until(scene.locks('other').acquire('x', { leaseMs: minute }));
    const { token, leaseId, acquiredAt } = held;
    const own = scene.locks('own');
    const startMs = world.nowMs;
    const error = await scene.failure(own.acquire('x', { waitMs: 2_000 }));
    expect(error).toMatchObject({
      ...{ name: 'LockHeldError', lockName: 'x', cause: undefined, freeInMs: undefined, heldHere: false },
      holder: { owner: 'other', token, leaseId, acquiredAt, remainingMs: expect.any(Number) },
    });
    const { remainingMs } = error.holder as { remainingMs: number };
    expect(remainingMs).toBeGreaterThan(minute / 2);
    expect(remainingMs).toBeLessThanOrEqual(minute);
    expect(error.waitedMs).toBeGreaterThan(1_990);
    expect(world.nowMs - startMs).toBeGreaterThan(1_990);
    expect(world.nowMs - startMs).toBeLessThan(2_050);
    let looks = 0;
    scene.before = async ({ process }) => {
      if (process === 'own' && ++looks > 3) throw trouble();
    };
    const troubled = await scene.failure(own.acquire('x', { waitMs: 2_000 }));
    expect(troubled).toMatchObject({ holder: { token }, cause: { name: 'StoreError' } });
  });

  it('is told that somebody holds it, also where nobody knows who', async () => {
    const scene = kitScene();
    const { world } = scene;
    const end = { N: String(Math.ceil(world.nowMs) + minute) };
    const theirs = { format: { S: 'leasehold/1' }, version: { N: '7' }, leaseId: { S: 'l' }, expiresAt: end };
    world.items.set('x', { name: { S: 'x' }, ...theirs });
    const error = await scene.failure(scene.locks('own').acquire('x'));
    expect(error).toMatchObject({
      ...{ name: 'LockHeldError', holder: { owner: 'unknown', token: 7, leaseId: 'l', acquiredAt: 0 } },
    });
  });

  it('is told when it will be free, where nobody holds it', async () => {
    const scene = kitScene();
    const { world } = scene;
    await world.until(scene.locks('other').withLock('x', () => {}, { minHoldMs: 20_000 }));
    const error = await scene.failure(scene.locks('own').acquire('x'));
    expect(error).toMatchObject({ name: 'LockHeldError', holder: undefined });
    expect(error.freeInMs).toBeGreaterThan(19_000);
    expect(error.freeInMs).toBeLessThan(22_000);
  });

  it('is told of the store, where that is all that it heard of', async () => {
    const scene = kitScene();
    scene.before = async () => {
      throw trouble();
    };
    const startMs = scene.world.nowMs;
    const error = await scene.failure(scene.locks('own').acquire('x', { waitMs: 3_000 }));
    expect(error).toMatchObject({ name: 'StoreError', retryable: true });
    expect(scene.world.nowMs - startMs).toBeGreaterThan(2_900);
  });

  it('is told, by an event, once that somebody holds it, and when it has it how long that took', async () => {
    using log = new EventLog();
    const scene = kitScene();
    const { world } = scene;
    const held = await world.until(scene.locks('other').acquire('told'));
    scene.after_ms(5_000, () => held.release());
    const lease = await world.until(scene.locks('own').acquire('told', { waitMs: minute, owner: 'me' }));
    const { token, leaseId } = lease;
    expect(log.of('held', 'told')).toEqual([
      {
        ...{ name: 'told', owner: 'me' },
        holder: expect.objectContaining({ owner: 'other', token: held.token, leaseId: held.leaseId }),
      },
    ]);
    const [, granted] = log.of('granted', 'told');
    expect(granted).toEqual({
      ...{ name: 'told', owner: 'me', token, leaseId, takenOverFrom: undefined, adopted: false },
      waitedMs: expect.any(Number),
    });
    expect(granted!.waitedMs).toBeGreaterThan(5_000);
    expect(granted!.waitedMs).toBeLessThan(8_000);
  });
});

describe('a wait for a lock', () => {
  it('began with the call: what its first request took is a part of it', async () => {
    const scene = kitScene();
    const { world } = scene;
    await world.until(scene.locks('other').acquire('x', { leaseMs: minute }));
    const own = scene.locks('own');
    await world.until(own.inspect('x'));
    let slow = true;
    scene.before = async ({ process }) => {
      if (process !== 'own' || !slow) return;
      slow = false;
      await world.loop.sleep(800);
    };
    const startMs = world.nowMs;
    const error = await scene.failure(own.acquire('x', { waitMs: 1_000 }));
    expect(world.nowMs - startMs).toBeLessThan(1_050);
    expect(error.waitedMs).toBeGreaterThan(990);
  });

  it('ends when the lease of a holder that crashed is over, however far apart its looks are', async () => {
    const scene = kitScene();
    const { world } = scene;
    const dead = world.process('dead');
    await world.until(world.locks(dead).acquire('x', { leaseMs: 10_000 }));
    dead.crash();
    const startMs = world.nowMs;
    const lease = await world.until(scene.locks('own', calm).acquire('x', { waitMs: 2 * minute }));
    expect(world.nowMs - startMs).toBeGreaterThan(9_000);
    expect(world.nowMs - startMs).toBeLessThan(13_000);
    expect(lease.takenOverFrom).toMatchObject({ owner: 'dead' });
  });

  it('lasts as much longer as its lock delay says, and not where the lock was given back', async () => {
    const scene = kitScene();
    const { world } = scene;
    const dead = world.process('dead');
    await world.until(world.locks(dead).acquire('x', { leaseMs: 10_000 }));
    dead.crash();
    const startMs = world.nowMs;
    const options = { waitMs: 3 * minute, lockDelayMs: 30_000 };
    const lease = await world.until(scene.locks('own', calm).acquire('x', options));
    expect(world.nowMs - startMs).toBeGreaterThan(40_000);
    expect(world.nowMs - startMs).toBeLessThan(43_500);
    expect(scene.writesOf('own')).toBeLessThan(4);
    await world.until(lease.release());
    const freeMs = world.nowMs;
    await world.until(scene.locks('next').acquire('x', options));
    expect(world.nowMs - freeMs).toBeLessThan(100);
  });

  it('looks at ease at a lock that is left free for later, and closely again when it changes hands', async () => {
    const scene = kitScene();
    const { world } = scene;
    await world.until(scene.locks('other').withLock('x', () => {}, { minHoldMs: 2 * minute }));
    const end = new AbortController();
    const waiting = failureOf(scene.locks('own').acquire('x', { waitMs: 60 * minute, signal: end.signal }));
    await scene.sleep(minute);
    expect(scene.readsOf('own')).toBeLessThan(150);
    // Somebody else gets it, in the middle of a pause, and lets it go, and the next one gets it.
    const name = world.items.get('x')!;
    const { freeFrom: _, ...free } = name;
    world.items.set('x', free);
    const passer = scene.locks('passer');
    const lease = await world.until(passer.acquire('x', { leaseMs: 10 * minute }));
    const reads = scene.readsOf('own');
    await scene.sleep(3_000);
    // A second apart before, and so until it sees that.
    expect(scene.readsOf('own') - reads).toBeGreaterThan(6);
    await scene.sleep(5 * minute);
    const later = scene.readsOf('own');
    await scene.sleep(minute);
    expect(scene.readsOf('own') - later).toBeLessThan(80);
    end.abort(new Error('enough'));
    expect(await world.until(waiting)).toMatchObject({ message: 'enough' });
    await world.until(lease.release());
  });

  it('C30 whose refused request was sent twice gives back what the first of them makes later', async () => {
    const scene = kitScene();
    const { world } = scene;
    const held = await world.until(scene.locks('other').acquire('x'));
    const own = scene.locks('own');
    await world.until(own.inspect('x'));
    // So that its token, which is a time in whole seconds, would be larger.
    await scene.sleep(2_000);
    let sent = 0;
    world.throttles = (process, operation) =>
      process === 'own' && operation === 'UpdateItemCommand' && sent++ === 0;
    let copied = 0;
    world.copiesAfterMs = (process, operation) =>
      process === 'own' && operation === 'UpdateItemCommand' && copied++ === 0 ? 3_000 : undefined;
    expect(await scene.failure(own.acquire('x'))).toMatchObject({ name: 'LockHeldError' });
    await world.until(held.release());
    await scene.sleep(3_000);
    await scene.sleep(9_000);
    expect(copied).toBeGreaterThan(1);
    expect(scene.isHeld('x')).toBe(false);
    expect(world.items.get('x')).toMatchObject({ lastLeaseId: { S: expect.stringMatching(/^own/) } });
  });

  it('that got a grant too late gives it back, and asks anew while it may', async () => {
    for (const waitMs of [0, minute]) {
      const scene = kitScene();
      const { world } = scene;
      const own = scene.locks('own');
      await world.until(own.inspect('x'));
      let slow = true;
      scene.after = async ({ process, operation }) => {
        if (process !== 'own' || operation !== 'UpdateItemCommand' || !slow) return;
        slow = false;
        await world.loop.sleep(2_500);
      };
      const end = await world.until(own.acquire('x', { maxHoldMs: 2_000, waitMs }).catch((error) => error));
      if (waitMs > 0) {
        expect(end.isHeld).toBe(true);
        continue;
      }
      expect(end).toMatchObject({
        name: 'StoreError',
        lockName: 'x',
        retryable: true,
        mayHaveApplied: false,
      });
      expect(end.message).toBe('The grant of "x" arrived when its lease was already over');
      await scene.sleep(1_000);
      expect(scene.isHeld('x')).toBe(false);
    }
  });

  it('is not told of the holder whose lease it had taken over', async () => {
    const scene = kitScene();
    const { world } = scene;
    await world.until(scene.locks('crashed').acquire('x', { leaseMs: 6_000, maxHoldMs: 6_000 }));
    const own = scene.locks('own');
    scene.after = async ({ process, operation }) => {
      if (process !== 'own' || operation !== 'UpdateItemCommand' || !scene.isHeld('x')) return;
      if (world.items.get('x')!.owner!.S === 'own') await world.loop.sleep(2_900);
    };
    const end = await scene.failure(own.acquire('x', { maxHoldMs: 2_000, waitMs: 8_000 }));
    expect(end).toMatchObject({ name: 'StoreError', lockName: 'x', retryable: true });
    expect(end.message).toBe('The grant of "x" arrived when its lease was already over');
  });

  it('is not told of a lease of its own as the holder, whatever else its client has left behind by then', async () => {
    const scene = kitScene();
    const { world } = scene;
    const own = scene.locks('own');
    await world.until(own.inspect('x'));
    const granted = new Set<string>();
    scene.before = async ({ operation, key }) => {
      if (operation === 'UpdateItemCommand' && granted.has(key)) throw trouble();
    };
    scene.after = async ({ operation, key }) => {
      if (operation !== 'UpdateItemCommand') return;
      granted.add(key);
      await world.loop.sleep(2_500);
    };
    const late = { maxHoldMs: 2_000 };
    const first = failureOf(own.acquire('x', { ...late, waitMs: 3_500 }));
    const others = Array.from({ length: 101 }, (_, i) => own.acquire(`other-${i}`, late).catch(() => {}));
    const end = await world.until(first);
    await world.until(Promise.all(others));
    expect(scene.isHeld('x')).toBe(true);
    expect(end).toMatchObject({ name: 'StoreError', lockName: 'x', retryable: true });
  });
});

describe('whoever supersedes', () => {
  it('takes its owner’s own lease over at once, in two writes, and waits for that of another', async () => {
    const scene = kitScene();
    const { world } = scene;
    const first = await world.until(scene.locks('first').acquire('x', { owner: 'me', leaseMs: 6_000 }));
    const own = scene.locks('own');
    const stranger = await scene.failure(own.acquire('x', { owner: 'you', supersede: true, waitMs: 1_000 }));
    expect(stranger).toMatchObject({ name: 'LockHeldError', holder: { owner: 'me' } });
    expect(scene.writesOf('own')).toBe(1);
    const plain = await scene.failure(own.acquire('x', { owner: 'me' }));
    expect(plain).toMatchObject({ name: 'LockHeldError', holder: { owner: 'me' } });
    const next = await world.until(own.acquire('x', { owner: 'me', supersede: true }));
    expect(scene.writesOf('own')).toBe(4);
    expect(next.token).toBeGreaterThan(first.token);
    expect(next.takenOverFrom).toEqual({ owner: 'me', token: first.token, leaseId: first.leaseId });
    // Within the same second, too: its token lies above the one that it was shown.
    const again = await world.until(scene.locks('third').acquire('x', { owner: 'me', supersede: true }));
    expect(scene.writesOf('third')).toBe(2);
    expect(again.token).toBeGreaterThan(next.token);
    await world.until(again.release());
    expect(next.isHeld).toBe(true);
    await scene.sleep(4_000);
    expect(first.loss).toMatchObject({ reason: 'taken-over' });
  });

  it('takes over what its owner has got meanwhile, as soon as it is seen', async () => {
    const scene = kitScene();
    const { world } = scene;
    const other = await world.until(scene.locks('other').acquire('x'));
    const waiting = scene.locks('own').acquire('x', { owner: 'me', supersede: true, waitMs: minute });
    await scene.sleep(1_000);
    await world.until(other.release());
    const mine = await world.until(
      scene
        .locks('first')
        .acquire('x', { owner: 'me', waitMs: 100 })
        .catch(() => {}),
    );
    const startMs = world.nowMs;
    const lease = await world.until(waiting);
    expect(world.nowMs - startMs).toBeLessThan(1_500);
    if (mine) expect(lease.takenOverFrom).toMatchObject({ owner: 'me', token: mine.token });
    expect(lease.isHeld).toBe(true);
  });

  it('does not wait for a call of its own process', async () => {
    const scene = kitScene();
    const own = scene.locks('own');
    const first = await scene.world.until(own.acquire('x'));
    const refused = await scene.failure(own.acquire('x', { waitMs: 500 }));
    const { token, leaseId } = first;
    expect(refused).toMatchObject({ heldHere: true, holder: { owner: 'own', token, leaseId } });
    expect(refused.waitedMs).toBeGreaterThan(490);
    const next = await scene.world.until(own.acquire('x', { supersede: true }));
    expect(next.token).toBeGreaterThan(first.token);
  });
});

describe('whoever waits', () => {
  it('for work that is done meanwhile gets its result', async () => {
    const scene = kitScene();
    const { world } = scene;
    const held = await world.until(scene.locks('other').acquire('x'));
    const waiting = failureOf(scene.locks('own').acquire('x', { waitMs: minute }));
    await scene.sleep(1_000);
    await world.until(held.complete('all'));
    const doneMs = world.nowMs;
    const done = await world.until(waiting);
    expect(done).toMatchObject({ name: 'AlreadyCompletedError', lockName: 'x', result: 'all' });
    expect(done.completedAt).toBe(Number(world.items.get('x')!.completedAt!.N));
    expect(world.nowMs - doneMs).toBeLessThan(1_100);
  });

  it('adopts what its own write made, whose answer was lost', async () => {
    using log = new EventLog();
    const scene = kitScene();
    const { world } = scene;
    const own = scene.locks('own');
    await world.until(own.inspect('adopted'));
    let lost = 0;
    scene.after = async ({ process, operation }) => {
      if (process === 'own' && operation === 'UpdateItemCommand' && lost++ === 0)
        throw Object.assign(new Error('cut off'), { name: 'TimeoutError' });
    };
    const lease = await world.until(own.acquire('adopted', { waitMs: minute }));
    expect(lease.leaseId).toBe(world.items.get('adopted')!.leaseId!.S);
    expect(lease.token).toBe(Number(world.items.get('adopted')!.version!.N));
    expect(lease.takenOverFrom).toBeUndefined();
    expect(log.of('granted', 'adopted')).toMatchObject([{ adopted: true }]);
    await world.until(lease.release());
    // One that would not wait has given it back.
    lost = 0;
    expect(await scene.failure(own.acquire('adopted'))).toMatchObject({ name: 'StoreError' });
    await scene.sleep(2_000);
    expect(scene.isHeld('adopted')).toBe(false);
  });

  it('whose lease is broken before it hears of it asks under another', async () => {
    const scene = kitScene();
    const { world } = scene;
    const own = scene.locks('own');
    await world.until(own.inspect('x'));
    let lost = 0;
    scene.after = async ({ process, operation }) => {
      if (process !== 'own' || operation !== 'UpdateItemCommand' || lost++ > 0) return;
      const { leaseId: broken, owner: _, expiresAt: __, ...rest } = world.items.get('x')!;
      world.items.set('x', { ...rest, lastLeaseId: broken!, brokenLeaseId: broken! });
      throw Object.assign(new Error('cut off'), { name: 'TimeoutError' });
    };
    const lease = await world.until(own.acquire('x', { waitMs: minute }));
    expect(lease.isHeld).toBe(true);
    expect(lease.leaseId).not.toBe(world.items.get('x')!.lastLeaseId!.S);
  });
});

describe('a lease that was handed over', () => {
  it('and arrives when it is over is an error of the store, and can be gone on with again', async () => {
    const scene = kitScene();
    const { world } = scene;
    const lease = await world.until(scene.locks('first').acquire('x', { leaseMs: 6_000 }));
    const handed = await world.until(lease.handOver());
    const next = scene.locks('next');
    await world.until(next.inspect('x'));
    let slow = true;
    scene.after = async ({ process, operation }) => {
      if (process !== 'next' || operation !== 'UpdateItemCommand' || !slow) return;
      slow = false;
      await world.loop.sleep(2_500);
    };
    const late = await scene.failure(next.resume(handed, { maxHoldMs: 2_000 }));
    expect(late).toMatchObject({ name: 'StoreError', lockName: 'x', retryable: true, mayHaveApplied: true });
    expect(late.message).toBe('The lease of "x" was taken up, but the answer arrived when it was over');
    const again = await world.until(next.resume(handed, { owner: 'me' }));
    expect(again).toMatchObject({ owner: 'me', isHeld: true });
    expect(again.token).toBeGreaterThan(lease.token);
    expect(world.items.get('x')).toMatchObject({ leaseMs: { N: '6000' } });
    const broken = world.until(scene.locks('operator').break('x', again.leaseId));
    expect(await broken).toBe(true);
    const lost = await scene.failure(next.resume(handed));
    expect(lost).toMatchObject({ name: 'LockLostError', lockName: 'x', token: handed.token });
  });

  it('is gone on with under options that can be right, and whose work is done is done', async () => {
    const scene = kitScene();
    const { world } = scene;
    const lease = await world.until(scene.locks('first').acquire('x'));
    const handed = await world.until(lease.handOver());
    const next = scene.locks('next');
    const writes = world.writes;
    for (const options of [
      { wait: 1 },
      { waitMs: 1 },
      { owner: '' },
      { leaseMs: 0 },
      { endsInMs: () => 0 },
    ]) {
      const error = await scene.failure(next.resume(handed, options as never));
      expect(error.name).toBe('UsageError');
    }
    expect(await scene.failure(next.resume({ ...handed, name: '' }))).toMatchObject({ name: 'UsageError' });
    expect(world.writes).toBe(writes);
    const own = await world.until(next.resume(handed, { leaseMs: 60_000, maxHoldMs: 100_000 }));
    expect(world.items.get('x')).toMatchObject({ owner: { S: 'next' }, leaseMs: { N: '60000' } });
    await world.until(own.complete('all'));
    const done = await scene.failure(next.resume(handed));
    expect(done).toMatchObject({ name: 'AlreadyCompletedError', lockName: 'x', result: 'all' });
    expect(done.completedAt).toBeGreaterThan(0);
  });
});

describe('a client that is closed', () => {
  it('refuses every call as closed, ends those under way, and can be closed again', async () => {
    const scene = kitScene();
    const { world } = scene;
    await world.until(scene.locks('other').acquire('held', { leaseMs: 10 * minute }));
    const own = scene.locks('own');
    const mine = await world.until(own.acquire('mine'));
    const under = [
      own.acquire('held', { waitMs: minute }),
      own.acquire('mine', { waitMs: minute }),
      own.acquire('held', { waitMs: minute, fair: true }),
      own.semaphore('held', { permits: 1 }).acquire({ waitMs: minute }),
    ].map((call) => call.catch((error) => error));
    await scene.sleep(1_000);
    const closed = { name: 'UsageError', code: 'CLOSED', message: 'This LockClient has been closed' };
    await world.until(own.close());
    // The permit was free.
    const ends = await world.until(Promise.all(under));
    for (const end of ends.slice(0, 3)) expect(end).toMatchObject(closed);
    await world.until(own.close());
    scene.asked.length = 0;
    for (const call of [
      () => own.acquire('x'),
      () => own.tryAcquire('x'),
      () => own.inspect('x'),
      () => own.lead('x', () => {}),
      () => own.semaphore('x', { permits: 1 }).acquire(),
      async () => {
        for await (const _ of own.list());
      },
    ])
      expect(await scene.failure(call())).toMatchObject(closed);
    expect(scene.asked).toEqual([]);
    // What is held is not renewed any more, and can be given back.
    await expect(world.until(mine.renew())).rejects.toMatchObject(closed);
    expect(await world.until(mine.release())).toBe('released');
  });

  it('gives back what is granted to it while it closes', async () => {
    const scene = kitScene();
    const { world } = scene;
    const own = scene.locks('own');
    await world.until(own.inspect('x'));
    let closing: Promise<void> | undefined;
    scene.after = async ({ key }) => {
      if (key === 'x' && !closing) closing = own.close();
    };
    expect(await scene.failure(own.acquire('x'))).toMatchObject({ code: 'CLOSED' });
    await world.until(closing!);
    expect(scene.isHeld('x')).toBe(false);
  });

  it('gives back what was granted at the very moment', async () => {
    const scene = kitScene();
    const { world } = scene;
    const process = world.process('late');
    const client = world.client(process) as never;
    const own = scene.locks('own', {
      // Whose answer is there already when the client is closed.
      table: (clock: StoreClock): ItemTable => {
        const known = { client, tableName: 'leases', clock, runtime: process.runtime, callTimeoutMs: 3_000 };
        const table = dynamoTable(known);
        const update: ItemTable['update'] = async (...asked) => {
          const answer = await table.update(...asked);
          closing ??= own.close();
          return answer;
        };
        return { ...table, update };
      },
      client: undefined,
    } as never);
    let closing: Promise<void> | undefined;
    expect(await scene.failure(own.acquire('x'))).toMatchObject({ code: 'CLOSED' });
    await world.until(closing!);
    expect(scene.isHeld('x')).toBe(false);
  });
});

describe('a signal that has aborted already', () => {
  it('ends a call with its own reason before any request', async () => {
    const scene = kitScene();
    const own = scene.locks('own');
    await scene.world.until(own.inspect('x'));
    scene.asked.length = 0;
    const signal = AbortSignal.abort(new Error('too late'));
    const handed = {
      handOver: 1,
      name: 'x',
      leaseId: 'l',
      token: 7,
      owner: 'o',
      expiresAt: 5,
      leaseMs: 30_000,
    };
    for (const call of [
      () => own.acquire('x', { signal }),
      () => own.acquire('x', { signal, fair: true, waitMs: 5 }),
      () => own.tryAcquire('x', { signal }),
      () => own.inspect('x', { signal }),
      () => own.break('x', 'l', { signal }),
      () => own.requestRelease('x', 'l', { signal }),
      () => own.reopen('x', { signal }),
      () => own.resume(handed, { signal }),
      () => own.lead('x', () => {}, { signal }),
      () => own.acquireAll(['x'], { signal }),
      () => own.claimNext(['x'], { signal }),
      () => own.once('x', () => {}, { signal }),
      () => own.semaphore('x', { permits: 1 }).acquire({ signal }),
      () => own.readWriteLock('x', { readers: 1 }).acquireRead({ signal }),
      () => own.readWriteLock('x', { readers: 1 }).acquireWrite({ signal }),
    ])
      expect(await scene.failure(call())).toMatchObject({ message: 'too late' });
    expect(scene.asked).toEqual([]);
    // Nobody of this process is left in the way.
    expect(await scene.world.until(own.acquire('x'))).toMatchObject({ isHeld: true });
  });
});
