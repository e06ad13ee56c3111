import type { DeleteItemCommandInput, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { leaseFormat, takeoverBefore } from '../../../lib/lease/index.js';
import { deleteIfExpired, expiredPage, type Sender } from '../../../lib/table/sweep/expired-items.js';
import { type SweepOptions, sweepLeases, sweepName } from '../../../lib/table/sweep/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import type { Item } from '../../simulation/store/attribute-values.js';
import { conditionOf } from '../../simulation/store/compiled.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

const dayMs = 86_400_000;
const enough = 35_000;

/** A table with items, and a sweep of it whose requests can be seen and tampered with. */
function scene() {
  const world = new VirtualWorld(1);
  const sweeper = world.process('sweeper');
  const plain = world.client(sweeper);
  const locksClient = { send: (...args: Parameters<typeof plain.send>) => hooks.sendOfLocks(...args) };
  const locks = world.locks(sweeper, { client: locksClient as never });
  const scans: ScanCommandInput[] = [];
  const deletes: { readonly name: string; readonly atMs: number }[] = [];
  const hooks = {
    onScan: async (_input: ScanCommandInput): Promise<object | undefined> => undefined,
    onDelete: async (_name: string): Promise<void> => {},
    sendOfLocks: (...args: Parameters<typeof plain.send>) => plain.send(...args),
  };
  const client = {
    send: async (command: { readonly input: never }, options: { readonly abortSignal?: AbortSignal }) => {
      if (command.constructor.name === 'ScanCommand') {
        scans.push(command.input);
        const { abortSignal } = options ?? {};
        return (await unless(abortSignal, hooks.onScan(command.input))) ?? scan(world, command.input);
      }
      const { Key } = command.input as DeleteItemCommandInput;
      deletes.push({ name: Key!.name!.S!, atMs: world.nowMs });
      await unless(options?.abortSignal, hooks.onDelete(Key!.name!.S!));
      return plain.send(command, options);
    },
  } as unknown as Sender;
  const put = (name: string, item: Readonly<Record<string, number | string>> = {}) => {
    const numbers = Object.entries({ version: 7, ttl: 1, ...item }).map(([key, value]) => [
      key,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]);
    world.items.set(name, { name: { S: name }, format: { S: leaseFormat }, ...Object.fromEntries(numbers) });
  };
  const own = { locks, client, table: 'leases', deletesPerSecond: 1_000 };
  return {
    ...{ world, locks, client, scans, deletes, hooks, put },
    putMany: (count: number) => {
      const names = Array.from({ length: count }, (_, i) => `item-${String(i).padStart(4, '0')}`);
      for (const name of names) put(name);
      return names;
    },
    sweep: (options: Partial<SweepOptions> = {}) => world.until(sweepLeases({ ...own, ...options })),
    begin: (options: Partial<SweepOptions> = {}) => sweepLeases({ ...own, ...options }),
    has: (name: string) => world.items.has(name),
    /** By the earliest that it can be anywhere. */
    earliestMs: async () => {
      await world.until(locks.inspect('anything'));
      return takeoverBefore(locks.context);
    },
  };
}

function pick(item: Item, attribute: string): Item {
  return { [attribute]: item[attribute]! };
}

/** As the SDK does it: a request ends with its signal. */
function unless<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
    work.then(resolve, reject);
  });
}

/** A page as DynamoDB reads one: in its own order, from a place whose item may be gone, filtered afterwards. */
function scan(world: VirtualWorld, input: ScanCommandInput): object {
  const { ExclusiveStartKey, Limit = 4, ExpressionAttributeNames: names = {} } = input;
  const after = ExclusiveStartKey?.name?.S ?? '';
  expect(input.TableName).toBe('leases');
  const all = [...world.items].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([key]) => key > after);
  const page = all.slice(0, Limit);
  const filter = conditionOf(input.FilterExpression!);
  const values = input.ExpressionAttributeValues!;
  return {
    Items: page.flatMap(([, item]) =>
      filter.test({ item, names, values }) ? [pick(item, names[input.ProjectionExpression!]!)] : [],
    ),
    ScannedCount: page.length,
    ...(page.length < all.length && { LastEvaluatedKey: { name: { S: page.at(-1)![0] } } }),
  };
}

describe('a sweep', () => {
  it('deletes what is past its time by the earliest that it can be, and of a lease or a completion a day later', async () => {
    const { sweep, put, has, earliestMs } = scene();
    const nowMs = await earliestMs();
    // The sweep’s own requests teach its clock a little: no more than the second that a header names.
    const second = Math.floor(nowMs / 1_000);
    put('over', { ttl: second - 1 });
    put('not over', { ttl: second + 5 });
    put('lease long over', { expiresAt: nowMs - dayMs - 1 });
    put('lease of today', { expiresAt: nowMs - dayMs + 5_000 });
    put('completed long ago', { completedAt: nowMs - dayMs - 1 });
    put('completed today', { completedAt: nowMs - dayMs + 5_000 });
    put('a text', { ttl: 'never' });
    expect(await sweep()).toMatchObject({ status: 'done', deleted: 3, spared: 2 });
    expect(['over', 'lease long over', 'completed long ago'].filter(has)).toEqual([]);
    for (const kept of ['not over', 'lease of today', 'completed today', 'a text'])
      expect(has(kept)).toBe(true);
  });

  it('counts what it read, deleted and spared over all pages, and its own item once', async () => {
    const { sweep, put, putMany, hooks } = scene();
    const names = putMany(25);
    put('to come', { ttl: 1e12 });
    // Taken by somebody after it was read.
    hooks.onDelete = async (name) => {
      if (name === names[7] || name === names[20]) put(name, { ttl: 1e12 });
    };
    const answer = await sweep({ deletesPerSecond: 2 });
    expect(answer).toEqual({ status: 'done', scanned: 25 + 1 + 1, deleted: 23, spared: 2 });
  });

  it.each([
    [0.1, 1],
    [2, 10],
    [2.5, 12],
    [200, 1_000],
    [1_000, 1_000],
  ])(
    'at %s deletes a second reads pages of %s: what five seconds delete, from one to a thousand',
    async (deletesPerSecond, limit) => {
      const { sweep, scans } = scene();
      await sweep({ deletesPerSecond });
      expect(scans.map(({ Limit }) => Limit)).toEqual([limit]);
    },
  );

  it('deletes so many a second at most, and eight at once', async () => {
    const { sweep, putMany, deletes, hooks, world } = scene();
    putMany(40);
    let onTheWay = 0;
    let most = 0;
    hooks.onDelete = async () => {
      most = Math.max(most, ++onTheWay);
      await world.loop.sleep(500);
      onTheWay--;
    };
    expect(await sweep({ deletesPerSecond: 20 })).toMatchObject({ deleted: 40 });
    const gaps = deletes.slice(1).map(({ atMs }, i) => atMs - deletes[i]!.atMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
    expect(most).toBe(8);
  });

  it('begins no page for which the time may not last, keeps its place, and goes on from there', async () => {
    const { sweep, putMany, scans, has } = scene();
    const names = putMany(15);
    let leftMs = [enough, enough - 1];
    const remainingMs = () => leftMs.shift()!;
    const slow = { deletesPerSecond: 2, remainingMs };
    expect(await sweep(slow)).toEqual({ status: 'more', scanned: 10, deleted: 10, spared: 0 });
    leftMs = [enough - 1];
    expect(await sweep(slow)).toEqual({ status: 'more', scanned: 0, deleted: 0, spared: 0 });
    expect(await sweep()).toMatchObject({ status: 'done', deleted: 5 });
    expect(names.filter(has)).toEqual([]);
    const place = { name: { S: names[9] } };
    expect(scans.map(({ ExclusiveStartKey }) => ExclusiveStartKey)).toEqual([undefined, place]);
  });

  it('forgets its place once the end was reached, and says so where the store did not take that', async () => {
    const { sweep, putMany, scans, hooks, world } = scene();
    putMany(15);
    await sweep({ deletesPerSecond: 2 });
    expect(world.items.get(sweepName)!.checkpoint).toBeUndefined();
    await sweep();
    expect(scans.map(({ ExclusiveStartKey }) => ExclusiveStartKey?.name?.S)).toEqual([
      undefined,
      'item-0009',
      undefined,
    ]);
    const { sendOfLocks } = hooks;
    hooks.sendOfLocks = (command, options) =>
      JSON.stringify(command.input).includes('checkpoint')
        ? Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' }))
        : sendOfLocks(command, options);
    await expect(sweep()).rejects.toMatchObject({ name: 'StoreError' });
  });

  it('reads no page before the place of the last is saved, which costs a write each', async () => {
    const { sweep, putMany, hooks, world } = scene();
    putMany(35);
    hooks.onScan = async ({ ExclusiveStartKey }) => {
      const checkpoint = world.items.get(sweepName)!.checkpoint?.M?.after;
      expect(checkpoint).toEqual(ExclusiveStartKey?.name);
      return undefined;
    };
    await sweep({ deletesPerSecond: 2 });
    // The acquire, three places, the release.
    expect(world.writes).toBe(5);
  });

  it('keeps the place of the last whole page when the store fails, and lets the next sweep in at once', async () => {
    const { sweep, putMany, scans, hooks, world } = scene();
    const names = putMany(25);
    hooks.onScan = async () => {
      if (scans.length === 3) throw new Error('the store is gone');
      return undefined;
    };
    await expect(sweep({ deletesPerSecond: 2 })).rejects.toThrow('the store is gone');
    const next = world.process('next');
    const answer = await sweep({ locks: world.locks(next) });
    expect(answer).toMatchObject({ status: 'done', deleted: 5 });
    expect(scans[3]!.ExclusiveStartKey).toEqual({ name: { S: names[19] } });
  });

  it.each([
    ['a text', { S: 'item-0002' }],
    ['a number', { M: { after: { N: '7' } } }],
    ['nothing', { M: {} }],
  ])('begins at the beginning where %s stands for the place', async (_, checkpoint) => {
    const { sweep, world, scans } = scene();
    await sweep();
    world.items.set(sweepName, { ...world.items.get(sweepName), checkpoint });
    await sweep();
    expect(scans[1]!.ExclusiveStartKey).toBeUndefined();
  });

  it('throws what a delete fails with, other than that the item is not expired any more', async () => {
    const { sweep, putMany, hooks, deletes } = scene();
    putMany(30);
    hooks.onDelete = async () => {
      throw Object.assign(new Error('no right to delete'), { name: 'AccessDeniedException' });
    };
    await expect(sweep()).rejects.toThrow('no right to delete');
    expect(deletes.length).toBeLessThanOrEqual(8);
  });

  it('ends a request that is not answered after twenty seconds, over all its attempts', async () => {
    const { sweep, hooks, world } = scene();
    let sentMs = 0;
    hooks.onScan = () => {
      sentMs = world.nowMs;
      return new Promise(() => {});
    };
    await expect(sweep()).rejects.toThrow();
    // And 4 ms to give its lock back.
    expect(world.nowMs - sentMs).toBe(20_000 + 4);
  });

  it('ends with its caller’s signal between two pages, or before it has begun', async () => {
    const { sweep, putMany, hooks, scans, deletes } = scene();
    putMany(25);
    const caller = new AbortController();
    hooks.onScan = async () => {
      if (scans.length === 2) caller.abort(new Error('enough'));
      return undefined;
    };
    await expect(sweep({ deletesPerSecond: 2, signal: caller.signal })).rejects.toThrow('enough');
    expect(deletes).toHaveLength(20);
    await expect(sweep({ signal: caller.signal })).rejects.toThrow('enough');
    expect(scans).toHaveLength(2);
  });

  it.each([
    ['while it deletes', { deletesPerSecond: 2, hangs: true }],
    ['while it paces itself', { deletesPerSecond: 0.01, hangs: false }],
  ])(
    'ends at once when its own lease is lost %s, and deletes nothing more',
    async (_, { deletesPerSecond, hangs }) => {
      const { begin, putMany, deletes, hooks, world } = scene();
      putMany(40);
      const never = new Promise<never>(() => {});
      // Some seconds later than the heartbeat began: what it sends would else be given up at the same time.
      hooks.onDelete = async () => (deletes.length === 9 && hangs ? never : undefined);
      const ended = begin({ deletesPerSecond }).then(
        () => 'done',
        (error) => error.name,
      );
      await world.until(world.loop.sleep(10_000));
      const operator = world.locks(world.process('operator'));
      const info = await world.until(operator.inspect(sweepName));
      await world.until(operator.break(sweepName, info!.leaseId!));
      const before = deletes.length;
      const atMs = world.nowMs;
      expect(await world.until(ended)).toBe('LockLostError');
      // Its next renewal tells, a third of its lease after the last.
      expect(world.nowMs - atMs).toBeLessThan(12_000);
      expect(deletes.length - before).toBeLessThanOrEqual(8);
    },
  );

  it('is one at a time; where one has crashed the next goes on after a minute, from its place', async () => {
    const { begin, sweep, putMany, hooks, world, scans } = scene();
    const names = putMany(25);
    const crashing = world.process('crashing');
    hooks.onScan = async () => {
      if (scans.length === 2) crashing.crash();
      return undefined;
    };
    void begin({ locks: world.locks(crashing), deletesPerSecond: 2 });
    await world.until(world.loop.sleep(30_000));
    expect(await sweep()).toEqual({ status: 'busy', scanned: 0, deleted: 0, spared: 0 });
    expect(world.items.get(sweepName)!.leaseMs).toEqual({ N: '60000' });
    await world.until(world.loop.sleep(60_000));
    expect(await sweep()).toMatchObject({ status: 'done', deleted: 15 });
    expect(scans[2]!.ExclusiveStartKey).toEqual({ name: { S: names[9] } });
  });
});

describe('a page of what is expired', () => {
  it('is read as weakly as may be, unless somebody asks otherwise, and an answer may leave out what there is none of', async () => {
    const { client, scans, hooks } = scene();
    hooks.onScan = async () => ({});
    const rule = { ttlBefore: 5 };
    const page = await expiredPage(client, { table: 'leases', rule });
    await expiredPage(client, { table: 'leases', rule, consistent: true });
    expect(page).toEqual({ names: [], scanned: 0, after: undefined });
    expect(scans.map(({ ConsistentRead }) => ConsistentRead)).toEqual([false, true]);
  });

  it('is given up with its signal', async () => {
    const { client, hooks } = scene();
    hooks.onScan = () => new Promise(() => {});
    const signal = AbortSignal.abort(new Error('enough'));
    const page = expiredPage(client, { table: 'leases', rule: { ttlBefore: 5 }, signal });
    await expect(page).rejects.toThrow('enough');
  });

  it('an item is deleted if its time lies before the moment, whatever its lease, where nobody asks for that', async () => {
    const { client, put, has, world } = scene();
    put('n', { ttl: 5, expiresAt: 1e15, completedAt: 1e15 });
    const tryFor = (ttlBefore: number) => world.until(deleteIfExpired(client, 'leases', 'n', { ttlBefore }));
    expect(await tryFor(5)).toBe(false);
    expect(has('n')).toBe(true);
    expect(await tryFor(6)).toBe(true);
    expect(has('n')).toBe(false);
  });
});
