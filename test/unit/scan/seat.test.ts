import type { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { type Processor, planScan, type ScanEvents, verifyScan, workSeat } from '../../../lib/scan/index.js';
import { childSliceId } from '../../../lib/scan/slices/slice.js';
import { FastS3 } from '../../bench/scan/fast-s3.js';
import { layouts } from '../../bench/scan/layouts.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';
import '../../simulation/run/loaded.js';
import { endsOfHangingRequests } from '../../support/hanging-requests.js';
import { onScan } from '../../support/scan/scan-events.js';

usePlainAbort();

const run = 'r';
const counting: Processor<null> = { empty: () => null, process: () => null, merge: () => null };
const name = (ordinal: number) => `scan/${run}/${String(ordinal).padStart(6, '0')}`;

/** Two thousand keys in pages of twenty, in one slice. */
async function plannedIn(world: VirtualWorld) {
  const s3 = new FastS3(layouts.sequential!(2_000), world.loop, 10) as unknown as S3Client;
  const locks = world.locks(world.process('planner'));
  await world.until(planScan({ locks, s3, run, bucket: 'zoo', seats: 1, pageSize: 20 }));
  return s3;
}

async function scene() {
  const world = new VirtualWorld(3);
  const s3 = await plannedIn(world);
  return {
    world,
    s3,
    seat: (seat: number, changes: Partial<Parameters<typeof workSeat>[0]> = {}) =>
      workSeat({
        locks: world.locks(world.process(`p${seat}`)),
        s3,
        run,
        seat,
        processor: counting,
        ...changes,
      }),
  };
}

/** What of an event was told, the oldest first. */
function told<Name extends keyof ScanEvents>(event: Name): ScanEvents[Name][] & Disposable {
  const all: ScanEvents[Name][] = [];
  const listening = onScan(event, run, (one) => all.push(one));
  return Object.assign(all, { [Symbol.dispose]: () => listening[Symbol.dispose]() });
}

describe('a seat', () => {
  it('ends with its signal, whichever of its first requests is under way, up to its first lease', async () => {
    const ends = await endsOfHangingRequests(
      ({ world, client, signal, prepared }) =>
        workSeat({
          locks: world.locks(world.process('seat'), { client }),
          s3: prepared as S3Client,
          run,
          seat: 0,
          processor: counting,
          signal,
        }),
      async (world) => {
        const s3 = new FastS3(layouts.sequential!(2_000), world.loop, 10) as unknown as S3Client;
        const locks = world.locks(world.process('planner'));
        await planScan({ locks, s3, run, bucket: 'zoo', seats: 1, pageSize: 20 });
        return s3;
      },
      5,
    );
    expect(ends).toHaveLength(5);
    for (const [i, end] of ends.entries()) expect(end).toMatchObject({ message: `given up at request ${i}` });
  });

  it('tells which slice it has taken, from whom, and how it ended', async () => {
    const { world, seat } = await scene();
    using acquired = told('scan-slice-acquired');
    using ended = told('scan-seat-ended');
    const answer = await world.until(seat(0));
    expect(acquired).toHaveLength(1);
    expect(acquired[0]).toMatchObject({
      run,
      seat: 0,
      slice: '000000',
      name: name(0),
      takenOver: false,
      attempts: 1,
    });
    expect(acquired[0]!.takenOverFrom).toBeUndefined();
    expect([...ended]).toEqual([answer]);
  });

  it('has given its slice back before it fails for what is no fault of the slice', async () => {
    const { world, seat, s3 } = await scene();
    let lists = 0;
    const denied = Object.assign(new Error('no right'), {
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
    const send = async (...args: Parameters<typeof s3.send>) => {
      if (++lists === 3) throw denied;
      return s3.send(...args);
    };
    await expect(world.until(seat(0, { s3: { send } as never }))).rejects.toThrow();
    expect(world.items.get(name(0))!.leaseId).toBeUndefined();
    expect(world.items.get(name(0))!.version).toBeDefined();
  });

  it('takes over at once what an earlier instance of it holds, and tells from whom', async () => {
    const { world, seat } = await scene();
    const before = world.locks(world.process('before'));
    const owner = `scan/${run}/seat-0`;
    const earlier = await world.until(before.acquire(name(0), { owner, leaseMs: 3_600_000 }));
    using acquired = told('scan-slice-acquired');
    const startMs = world.nowMs;
    expect(await world.until(seat(0))).toMatchObject({ status: 'done', slices: 1, takeovers: 1 });
    expect(world.nowMs - startMs).toBeLessThan(60_000);
    expect(acquired[0]).toMatchObject({ takenOver: true, takenOverFrom: { owner, token: earlier.token } });
  });

  it('gives a slice away whose guard has seen a newer token, with what it said', async () => {
    const { world, seat } = await scene();
    const stale = Object.assign(new Error('a newer one was seen'), { name: 'StaleTokenError' });
    let pages = 0;
    const processor: Processor<null> = {
      ...counting,
      process() {
        if (++pages === 2) throw stale;
        return null;
      },
    };
    const stored: unknown[] = [];
    using lost = told('scan-slice-lost');
    using _look = onScan('scan-slice-lost', run, () => stored.push(world.items.get(name(0))!.lastError?.S));
    expect(await world.until(seat(0, { processor }))).toMatchObject({ status: 'done', slices: 1, lost: 1 });
    expect([...lost]).toMatchObject([{ run, seat: 0, name: name(0), reason: 'stale-token', error: stale }]);
    expect(stored).toEqual([expect.stringContaining('a newer one was seen')]);
  });

  it('that waits for what others hold tells how long it will, until its next look', async () => {
    const { world, seat } = await scene();
    const other = world.locks(world.process('other'));
    await world.until(other.acquire(name(0), { owner: 'other', leaseMs: 3_600_000 }));
    using waits = told('scan-seat-waits');
    const stop = new AbortController();
    const working = seat(0, { signal: stop.signal });
    world.loop.after(20_000, () => stop.abort(new Error('enough')));
    await expect(world.until(working)).rejects.toThrow('enough');
    expect(waits.length).toBeGreaterThan(5);
    for (const { waitMs, held } of waits) {
      expect(held).toBe(1);
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(3_000);
    }
    const sum = waits.reduce((total, { waitMs }) => total + waitMs, 0);
    expect(sum).toBeGreaterThan(15_000);
  });

  it('counts how often a slice was granted without progress, and ends without those that were given up', async () => {
    const { world, seat } = await scene();
    using acquired = told('scan-slice-acquired');
    using released = told('scan-slice-released');
    const processor: Processor<null> = {
      ...counting,
      process() {
        throw new Error('a bad page');
      },
    };
    await world.until(seat(0, { processor }));
    expect(acquired.map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4]);
    expect(released.map(({ why }) => why)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(world.items.get(name(0))).toMatchObject({
      attempts: { N: '4' },
      lastError: { S: expect.stringContaining('a bad page') },
    });
  });

  it('leaves in a slice that is done its result alone, and nothing of how it came to that', async () => {
    const { world, seat } = await scene();
    let pages = 0;
    const processor: Processor<null> = {
      ...counting,
      process() {
        if (++pages === 3) throw new Error('a bad page');
        return null;
      },
    };
    const between: unknown[] = [];
    using _ = onScan('scan-slice-released', run, () => between.push(world.items.get(name(0))));
    await world.until(seat(0, { processor }));
    const underWay = { lastError: {}, partial: {}, tally: {}, attempts: {}, cursor: {} };
    expect(Object.keys(between[0]!)).toEqual(expect.arrayContaining(Object.keys(underWay)));
    const done = world.items.get(name(0))!;
    expect(done).toMatchObject({ completedAt: {}, result: {}, cursor: {} });
    for (const gone of ['lastError', 'partial', 'tally', 'attempts', 'leaseId'])
      expect(done).not.toHaveProperty(gone);
  });

  it('gives its slice back before its time is over, and says that there is more', async () => {
    const { world, seat } = await scene();
    using released = told('scan-slice-released');
    const endMs = world.nowMs + 6_000;
    const slow: Processor<null> = { ...counting, process: () => world.loop.sleep(400).then(() => null) };
    const answer = await world.until(
      seat(0, { processor: slow, remainingMs: () => endMs - world.nowMs, marginMs: 2_000 }),
    );
    expect(answer).toMatchObject({ status: 'more', slices: 0 });
    expect(answer.pages).toBeGreaterThan(3);
    expect(released.map(({ why }) => why)).toEqual(['out-of-time']);
    expect(world.nowMs).toBeLessThan(endMs - 1_500);
    expect(world.items.get(name(0))!.leaseId).toBeUndefined();
    // That grant does not count against the slice.
    expect(world.items.get(name(0))!.attempts?.N ?? '0').toBe('0');
  });

  it('looks often while those that hold the rest move on', async () => {
    const { world, seat } = await scene();
    const other = world.locks(world.process('other'));
    await world.until(other.acquire(name(0), { owner: 'other', leaseMs: 3_600_000 }));
    let progress = 0;
    const move = () => {
      world.items.set(name(0), { ...world.items.get(name(0))!, progress: { N: String(++progress) } });
      world.loop.after(10, move);
    };
    move();
    using waits = told('scan-seat-waits');
    const stop = new AbortController();
    world.loop.after(20_000, () => stop.abort(new Error('enough')));
    await expect(world.until(seat(0, { signal: stop.signal }))).rejects.toThrow('enough');
    expect(waits.length).toBeGreaterThan(40);
    for (const { waitMs } of waits) expect(waitMs).toBeLessThanOrEqual(400);
  });
});

/** Looks of a seat so far: each asks the index once. */
function looksOf(world: VirtualWorld, seat: number) {
  const looks: number[] = [];
  world.throttles = (process, operation) => {
    if (process === `p${seat}` && operation === 'QueryCommand') looks.push(world.nowMs);
    return false;
  };
  return looks;
}

/** Puts attributes of a slice as another holder's writes would. */
function put(world: VirtualWorld, ordinal: number, attributes: Readonly<Record<string, object>>) {
  world.items.set(name(ordinal), { ...world.items.get(name(ordinal))!, ...attributes } as never);
}

/** A run of two slices: the seat has done the first, others hold the second for an hour. */
async function waiting(rounds = 0) {
  const world = new VirtualWorld(3);
  const fast = new FastS3(layouts.sequential!(400), world.loop, 10);
  const s3 = fast as unknown as S3Client;
  const locks = world.locks(world.process('planner'));
  const cuts = [layouts.sequential!(400).keyAt(199)];
  await world.until(planScan({ locks, s3, run, bucket: 'zoo', seats: 2, pageSize: 20, cuts }));
  if (rounds > 0)
    world.items.set(`scan/${run}`, { ...world.items.get(`scan/${run}`)!, rounds: { N: String(rounds) } });
  const other = world.locks(world.process('other'));
  await world.until(other.acquire(name(1), { owner: 'other', leaseMs: 3_600_000 }));
  const lastKey = layouts.sequential!(400).keyAt(398);
  const work = (changes: Partial<Parameters<typeof workSeat>[0]> = {}) =>
    workSeat({ locks: world.locks(world.process('p0')), s3, run, seat: 0, processor: counting, ...changes });
  return { world, work, lastKey, s3: fast };
}

describe('a seat that waits for others', () => {
  const [cursor, hi] = [
    { S: layouts.sequential!(400).keyAt(370) },
    { S: layouts.sequential!(400).keyAt(399) },
  ];
  const nearEnd = (lastKey: string) => ({ cursor, claimed: { S: lastKey }, progress: { N: '9' }, hi });

  it('ends after four looks in a row that find nothing left to split: a guess may be wrong', async () => {
    const { world, work, lastKey } = await waiting();
    put(world, 1, nearEnd(lastKey));
    const looks = looksOf(world, 0);
    using waits = told('scan-seat-waits');
    const answer = await world.until(work());
    expect(answer).toMatchObject({ run, seat: 0, status: 'done', slices: 1, splits: 0 });
    expect([looks.length, waits.length]).toEqual([4, 3]);
    expect(waits.map(({ seat, held }) => [seat, held])).toEqual(waits.map(() => [0, 1]));
  });

  it('counts them anew when something may come up in between', async () => {
    const { world, work, lastKey } = await waiting();
    put(world, 1, nearEnd(lastKey));
    let looks = 0;
    world.throttles = (process, operation) => {
      if (process !== 'p0' || operation !== 'QueryCommand') return false;
      looks += 1;
      // Its end is far away for one look: it has not moved since it was split.
      const far = { claimed: { S: layouts.sequential!(400).keyAt(220) }, splitProgress: { N: '9' } };
      put(world, 1, looks === 3 ? { ...nearEnd(lastKey), ...far } : nearEnd(lastKey));
      return false;
    };
    await world.until(work());
    expect(looks).toBe(3 + 4);
  });

  it('counts them anew after a slice of its own', async () => {
    const { world, work, lastKey } = await waiting();
    const keyAt = (index: number) => ({ S: layouts.sequential!(400).keyAt(index) });
    // A third slice, split off the second, which others have nearly done, too.
    const child = childSliceId(keyAt(390).S);
    const held = { ...nearEnd(lastKey), cursor: keyAt(380), claimed: keyAt(389), hi: keyAt(390) };
    put(world, 1, held);
    const { lo: _, ...second } = world.items.get(name(1))! as Record<string, object>;
    const third = { ...second, name: { S: `scan/${run}/${child}` }, lo: keyAt(390), cursor: keyAt(391) };
    const { hi: __, ...open } = { ...third, claimed: keyAt(398), leaseId: { S: 'y' } } as Record<
      string,
      object
    >;
    world.items.set(`scan/${run}/${child}`, { ...open, emptyAfter: keyAt(399) } as never);
    let looks = 0;
    world.throttles = (process, operation) => {
      if (process !== 'p0' || operation !== 'QueryCommand') return false;
      looks += 1;
      if (looks === 4) {
        const { leaseId: ___, expiresAt: ____, ...free } = world.items.get(name(1))!;
        world.items.set(name(1), free);
      }
      return false;
    };
    const locks = world.locks(world.process('p0'));
    Object.assign(locks.context.runtime, { random: () => 0.999 });
    using waits = told('scan-seat-waits');
    expect(await world.until(work({ locks }))).toMatchObject({ status: 'done', slices: 2 });
    expect(looks).toBeGreaterThanOrEqual(4 + 4);
    // It looks closely again, too.
    expect(waits.map(({ waitMs }) => Math.round(waitMs)).slice(0, 5)).toEqual([80, 160, 319, 80, 160]);
  });

  it('splits what another has much left of, takes the part behind the cut, and counts what it did', async () => {
    const { world, work, s3 } = await waiting();
    const keyAt = (index: number) => ({ S: layouts.sequential!(400).keyAt(index) });
    put(world, 1, { cursor: keyAt(200), claimed: keyAt(220), progress: { N: '1' }, hi: keyAt(399) });
    using splits = told('scan-slice-split');
    using completed = told('scan-slice-completed');
    world.loop.after(10_000, () => put(world, 1, { completedAt: { N: '1' } }));
    const listsBefore = s3.lists;
    const answer = await world.until(work());
    expect([...splits]).toMatchObject([{ run, seat: 0, slice: '000001', owner: 'other' }]);
    expect(completed.map(({ slice }) => slice)).toEqual(['000000', splits[0]!.child]);
    const [first, child] = completed;
    expect(answer).toMatchObject({
      ...{ status: 'done', slices: 2, splits: 1, takeovers: 0, lost: 0 },
      ...{ pages: first!.pages + child!.pages, objects: first!.objects + child!.objects },
      listRequests: s3.lists - listsBefore,
    });
    expect(first!.objects).toBe(200);
  });

  it('waits no longer than it has time, and says that there is more', async () => {
    const { world, work } = await waiting();
    put(world, 1, { progress: { N: '9' }, splitProgress: { N: '9' } });
    const endMs = world.nowMs + 20_000;
    using waits = told('scan-seat-waits');
    const answer = await world.until(work({ remainingMs: () => endMs - world.nowMs }));
    expect(answer).toMatchObject({ status: 'more', slices: 1 });
    expect(Math.abs(answer.tookMs - 15_000)).toBeLessThan(20);
    // It had been waiting for longer each time: nobody moved.
    expect(Math.max(...waits.map(({ waitMs }) => waitMs))).toBeGreaterThan(400);
    for (const { waitMs } of waits) expect(waitMs).toBeGreaterThanOrEqual(0);
  });

  it('stays in a later round as long as others hold anything, and looks less often when nothing is left to split', async () => {
    const { world, work, lastKey } = await waiting(1);
    put(world, 1, nearEnd(lastKey));
    using waits = told('scan-seat-waits');
    let progress = 10;
    const move = () => {
      if (world.items.get(name(1))!.completedAt) return;
      put(world, 1, { progress: { N: String(++progress) } });
      world.loop.after(5, move);
    };
    move();
    world.loop.after(60_000, () => {
      const { leaseId: _, expiresAt: __, ...item } = world.items.get(name(1))!;
      world.items.set(name(1), { ...item, completedAt: { N: '1' } });
    });
    const startMs = world.nowMs;
    const locks = world.locks(world.process('p0'));
    Object.assign(locks.context.runtime, { random: () => 0.999 });
    expect(await world.until(work({ locks }))).toMatchObject({ status: 'done', slices: 1 });
    expect(world.nowMs - startMs).toBeGreaterThan(60_000);
    // From the fourth look in a row on it only waits for others.
    expect(waits.map(({ waitMs }) => Math.round(waitMs)).slice(0, 4)).toEqual([80, 160, 319, 638]);
    expect(Math.max(...waits.map(({ waitMs }) => waitMs))).toBe(3_000);
  });

  it('takes a slice over soon after its lease has run out, though that was granted after its own start', async () => {
    const { world, work } = await waiting();
    // Nobody renews it any more; acquired by the clock of a minute later.
    const endMs = world.nowMs + 20_000;
    put(world, 1, { expiresAt: { N: String(endMs) }, acquiredAt: { N: String(world.nowMs + 60_000) } });
    const tookMs = world.nowMs;
    const answer = await world.until(work());
    expect(answer).toMatchObject({ status: 'done', slices: 2, takeovers: 1 });
    expect(answer.tookMs).toBeGreaterThan(20_000);
    // Half a second for the store's front ends, and the second in which its time is known.
    expect(answer.tookMs).toBeLessThan(21_800);
    expect(Math.abs(answer.tookMs - (world.nowMs - tookMs))).toBeLessThan(50);
    // It held a slice for a small part of that.
    expect(answer.busyMs).toBeGreaterThan(100);
    expect(answer.busyMs).toBeLessThan(2_000);
  });
});

describe('a seat that finds more than one', () => {
  it('takes the next where somebody was quicker, in the same look', async () => {
    const world = new VirtualWorld(3);
    const s3 = new FastS3(layouts.sequential!(400), world.loop, 10) as unknown as S3Client;
    const cuts = [layouts.sequential!(400).keyAt(199)];
    const planner = world.locks(world.process('planner'));
    await world.until(planScan({ locks: planner, s3, run, bucket: 'zoo', seats: 2, pageSize: 20, cuts }));
    // The first is tried first: it has failed less often.
    put(world, 1, { attempts: { N: '1' } });
    let looks = 0;
    let tries = 0;
    const quicker = { leaseId: { S: 'x' }, owner: { S: 'other' }, completedAt: { N: '1' } };
    world.throttles = (process, operation) => {
      if (process === 'p7' && operation === 'QueryCommand') looks += 1;
      if (process === 'p7' && operation === 'UpdateItemCommand' && ++tries === 1) {
        put(world, 0, { ...quicker, expiresAt: { N: String(world.nowMs + 60_000) } });
      }
      return false;
    };
    using acquired = told('scan-slice-acquired');
    let looksBefore = 0;
    using _first = onScan('scan-slice-acquired', run, () => {
      looksBefore = looks;
    });
    const locks = world.locks(world.process('p7'));
    const working = workSeat({ locks, s3, run, seat: 7, processor: counting });
    expect(await world.until(working)).toMatchObject({ status: 'done', slices: 1 });
    expect(acquired.map(({ name: taken }) => taken)).toEqual([name(1)]);
    expect(looksBefore).toBe(1);
  });
});

describe('a seat whose looks are not answered', () => {
  const throttled = async (times: number) => {
    const { world, seat } = await scene();
    let looks = 0;
    const lookedAt: number[] = [];
    using waits = told('scan-seat-waits');
    world.throttles = (process, operation) => {
      if (process !== 'p0' || operation !== 'QueryCommand') return false;
      looks += 1;
      lookedAt.push(world.nowMs);
      return looks <= times;
    };
    const outcome = await world.until(
      seat(0).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      ),
    );
    return { outcome, looks, lookedAt, waits: waits.map(({ waitMs }) => waitMs) };
  };

  it('looks again, works no slice twice, and gives up after eight looks in a row', async () => {
    const tries = 3;
    const some = await throttled(7 * tries);
    expect(some.outcome).toMatchObject({ answer: { status: 'done', slices: 1, lost: 0 } });
    expect(some.waits).toHaveLength(7);
    const all = await throttled(Number.POSITIVE_INFINITY);
    expect(all.outcome).toMatchObject({ error: { name: 'StoreError', retryable: true } });
    expect(all.looks).toBe(8 * tries);
    expect(all.waits).toHaveLength(7);
    // It waits between them.
    const tookMs = all.lookedAt.at(-1)! - all.lookedAt[0]!;
    expect(tookMs).toBeGreaterThan(all.waits.reduce((sum, waitMs) => sum + waitMs, 0));
  });

  it('looks again within four tenths of a second, however long chance would have it wait', async () => {
    const { world, seat } = await scene();
    const locks = world.locks(world.process('p0'));
    Object.assign(locks.context.runtime, { random: () => 0.999 });
    world.throttles = (process, operation) => process === 'p0' && operation === 'QueryCommand';
    using waits = told('scan-seat-waits');
    await expect(world.until(seat(0, { locks }))).rejects.toMatchObject({ name: 'StoreError' });
    expect(waits.map(({ waitMs }) => Math.round(waitMs)).slice(0, 5)).toEqual([80, 160, 319, 400, 400]);
  });

  it('counts anew after one that was: seven that were not, twice, are no reason to give up', async () => {
    const { world, work } = await waiting();
    put(world, 1, { progress: { N: '9' }, splitProgress: { N: '9' } });
    let queries = 0;
    world.throttles = (process, operation) => {
      if (process !== 'p0' || operation !== 'QueryCommand') return false;
      queries += 1;
      // A look that is not answered is tried three times.
      if (queries > 44) put(world, 1, { completedAt: { N: '1' } });
      return queries !== 22 && queries <= 43;
    };
    expect(await world.until(work())).toMatchObject({ status: 'done', slices: 1 });
    expect(queries).toBe(45);
  });

  it('waits before it looks again', async () => {
    const { world, seat } = await scene();
    const events: (readonly [string, number, number?])[] = [];
    using _ = onScan('scan-seat-waits', run, ({ waitMs }) => events.push(['waits', world.nowMs, waitMs]));
    world.throttles = (process, operation) => {
      if (process !== 'p0' || operation !== 'QueryCommand') return false;
      events.push(['looks', world.nowMs]);
      return true;
    };
    await expect(world.until(seat(0))).rejects.toMatchObject({ name: 'StoreError' });
    const waits = events.flatMap((event, i) =>
      event[0] === 'waits' ? [[event, events[i + 1]!] as const] : [],
    );
    expect(waits).toHaveLength(7);
    for (const [[, fromMs, waitMs], [next, atMs]] of waits) {
      expect(next).toBe('looks');
      expect(atMs - fromMs).toBeGreaterThanOrEqual(waitMs! - 0.001);
    }
  });

  it('fails at once where it may not take a slice', async () => {
    const { world, seat } = await scene();
    const locks = world.locks(world.process('p0'));
    const denied = Object.assign(new Error('no right'), { name: 'StoreError', retryable: false });
    Object.assign(locks, { tryAcquire: () => Promise.reject(denied) });
    await expect(world.until(seat(0, { locks }))).rejects.toBe(denied);
  });

  it('fails at once for what no later look mends', async () => {
    const { world, seat } = await scene();
    const locks = world.locks(world.process('p0'));
    const denied = Object.assign(new Error('no right'), { name: 'StoreError', retryable: false });
    locks.context.table.namesInGroup = () => {
      throw denied;
    };
    await expect(world.until(seat(0, { locks }))).rejects.toBe(denied);
  });
});

describe('the time of a seat', () => {
  /** A processor that hangs until its signal, and when that came. */
  const hanging = (world: VirtualWorld) => {
    const endedMs: number[] = [];
    const processor: Processor<null> = {
      ...counting,
      process(_page, { signal }) {
        const startMs = world.nowMs;
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            endedMs.push(world.nowMs - startMs);
            reject(signal.reason);
          });
        });
      },
    };
    return { processor, endedMs };
  };

  it.each([
    [undefined, 15 * 60_000],
    [1_234, 1_234],
  ])('ends a page after a quarter of an hour, or as it is told: %s', async (pageTimeoutMs, endMs) => {
    const { world, seat } = await scene();
    const { processor, endedMs } = hanging(world);
    const stop = new AbortController();
    using _ = onScan('scan-slice-released', run, () => stop.abort(new Error('enough')));
    const working = seat(0, { processor, signal: stop.signal, ...(pageTimeoutMs && { pageTimeoutMs }) });
    await expect(world.until(working)).rejects.toThrow('enough');
    expect(endedMs).toHaveLength(1);
    expect(Math.round(endedMs[0]!)).toBe(endMs);
  });

  it.each([
    [undefined, 5_000],
    [3_000, 3_000],
  ])(
    'keeps five seconds free before its invocation’s end, or as it is told: %s',
    async (marginMs, keptMs) => {
      const { world, seat } = await scene();
      const { processor, endedMs } = hanging(world);
      const endMs = world.nowMs + 20_000;
      const remainingMs = () => endMs - world.nowMs;
      const startMs = world.nowMs;
      const answer = await world.until(
        seat(0, { processor, remainingMs, ...(marginMs !== undefined && { marginMs }) }),
      );
      expect(answer).toMatchObject({ status: 'more', pages: 0, slices: 0 });
      expect(endedMs).toHaveLength(1);
      expect(world.nowMs - startMs).toBeGreaterThan(20_000 - keptMs - 20);
      expect(world.nowMs - startMs).toBeLessThan(20_000 - keptMs + 50);
    },
  );

  it('may have no margin, and pages of a millisecond', async () => {
    const { world, seat } = await scene();
    const least = { marginMs: 0, pageTimeoutMs: 1, remainingMs: () => 60_000 };
    expect(await world.until(seat(0, least))).toMatchObject({ status: 'done', slices: 1 });
  });

  it('holds no lease beyond its invocation’s end', async () => {
    const { world, seat } = await scene();
    const ends: number[] = [];
    const endMs = world.nowMs + 12_000;
    world.onWrite = ({ after }) => {
      const expiresAt = after?.expiresAt?.N;
      if (expiresAt && after?.name?.S === name(0)) ends.push(Number(expiresAt));
    };
    const slow: Processor<null> = { ...counting, process: () => world.loop.sleep(900).then(() => null) };
    await world.until(seat(0, { processor: slow, remainingMs: () => endMs - world.nowMs, marginMs: 1_000 }));
    expect(ends.length).toBeGreaterThan(5);
    // Store time is known to a second.
    for (const end of ends) expect(end).toBeLessThan(endMs + 1_100);
  });

  it('is not spent on a slice that it could not finish a page of: none is taken', async () => {
    const { world, seat } = await scene();
    using acquired = told('scan-slice-acquired');
    const { tookMs: _, ...answer } = await world.until(seat(0, { remainingMs: () => 5_000 }));
    const nothing = {
      pages: 0,
      objects: 0,
      slices: 0,
      takeovers: 0,
      lost: 0,
      splits: 0,
      busyMs: 0,
      listRequests: 0,
    };
    expect(answer).toEqual({ run, seat: 0, status: 'more', ...nothing });
    expect(acquired).toHaveLength(0);
    expect(await world.until(seat(0, { remainingMs: () => 4_000_000 }))).toMatchObject({ status: 'done' });
  });

  it.each([
    [{ marginMs: -1 }, /^marginMs: must be a number of milliseconds, at least 0, got -1/],
    [{ pageTimeoutMs: 0 }, /^pageTimeoutMs: must be a number of milliseconds, at least 1, got 0/],
    [{ remainingMs: () => Number.NaN }, /^remainingMs\(\): must be a number of milliseconds/],
    [{ seat: 0.5 }, /^seat: must be a whole number, at least 0, got 0.5/],
    [{ processor: { ...counting, inlineBytes: -1 } }, /^inlineBytes: must be a whole number/],
  ])('is refused where it is none: %j', async (options, message) => {
    const { world, seat } = await scene();
    await expect(world.until(seat(0, options as never))).rejects.toThrow(message);
  });
});

describe('a seat and its duplicates', () => {
  it('ends when a later instance of it goes on, and says so', async () => {
    const { world, seat } = await scene();
    const slow: Processor<null> = { ...counting, process: () => world.loop.sleep(300).then(() => null) };
    using lost = told('scan-slice-lost');
    const first = seat(0, { processor: slow });
    const second = world.loop
      .sleep(5_000)
      .then(() => seat(0, { locks: world.locks(world.process('later')) }));
    const [one, two] = await world.until(Promise.all([first, second]));
    expect(one).toMatchObject({ status: 'superseded', slices: 0, lost: 1 });
    expect(two).toMatchObject({ status: 'done', slices: 1, takeovers: 1, lost: 0 });
    expect([...lost]).toMatchObject([{ reason: 'superseded', run, seat: 0, name: name(0) }]);
  });

  it('a slice that failed is tried again, but not at once', async () => {
    const { world, seat } = await scene();
    const events: [string, number][] = [];
    using _acquired = onScan('scan-slice-acquired', run, () => events.push(['taken', world.nowMs]));
    using _waits = onScan('scan-seat-waits', run, ({ waitMs }) => events.push(['waits', waitMs]));
    using _released = onScan('scan-slice-released', run, () => events.push(['released', world.nowMs]));
    const processor: Processor<null> = {
      ...counting,
      process() {
        throw new Error('a bad page');
      },
    };
    await world.until(seat(0, { processor }));
    expect(events.map(([what]) => what).slice(0, 4)).toEqual(['taken', 'released', 'waits', 'taken']);
    const [, released, waits, again] = events;
    expect(again![1] - released![1]).toBeGreaterThan(waits![1]);
    expect(waits![1]).toBeGreaterThanOrEqual(20);
  });
});

it('planning ends with its signal, whichever of its requests to the table is under way', async () => {
  const ends = await endsOfHangingRequests(
    ({ world, client, signal, prepared }) =>
      planScan({
        ...{ locks: world.locks(world.process('planner'), { client }), s3: prepared as S3Client },
        ...{ run, bucket: 'zoo', seats: 2, pageSize: 20, signal },
      }),
    async (world) => new FastS3(layouts.sequential!(2_000), world.loop, 10) as unknown as S3Client,
  );
  // The time, the run's item, its commit, and its slices.
  expect(ends.length).toBeGreaterThan(3);
  for (const [i, end] of ends.entries()) expect(end).toMatchObject({ message: `given up at request ${i}` });
});

it('a look at how the run stands ends with its signal, whichever of its requests is under way', async () => {
  const ends = await endsOfHangingRequests(
    ({ world, client, signal, prepared }) =>
      verifyScan({
        locks: world.locks(world.process('verify'), { client }),
        s3: prepared as S3Client,
        run,
        processor: counting,
        signal,
      }),
    async (world) => {
      const s3 = new FastS3(layouts.sequential!(2_000), world.loop, 10) as unknown as S3Client;
      const locks = world.locks(world.process('planner'));
      await planScan({ locks, s3, run, bucket: 'zoo', seats: 1, pageSize: 20 });
      return s3;
    },
  );
  expect(ends.length).toBeGreaterThan(3);
  for (const [i, end] of ends.entries()) expect(end).toMatchObject({ message: `given up at request ${i}` });
});
