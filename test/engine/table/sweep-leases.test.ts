import { DeleteItemCommand, type ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import { type SweepOptions, sweepLeases, sweepName } from '../../../lib/table/sweep/index.js';
import { engines } from '../../support/engines.js';
import type { Actor } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

const dayMs = 24 * 60 * 60 * 1000;

describe.each(engines)('a sweep on %s', (engine) => {
  const stage = useStage({ engine });

  /** A sweep by this actor, and what is to be different about it. */
  function sweep(actor: Actor, options: Partial<SweepOptions> = {}) {
    return sweepLeases({
      locks: actor.locks,
      client: stage.it.raw,
      table: stage.it.table,
      deletesPerSecond: 1_000,
      ...options,
    });
  }

  /** The time as this actor knows it, in seconds from now. */
  const inSeconds = (actor: Actor, seconds: number) =>
    Math.floor(actor.locks.context.clock.now().earliest / 1_000) + seconds;

  /** A client that does something before it sends a command of a kind. */
  function preceded(kind: 'ScanCommand' | 'DeleteItemCommand', act: (command: unknown) => Promise<unknown>) {
    const send = async (command: object, options: object) => {
      if (command.constructor.name === kind) await act(command);
      return stage.it.raw.send(command as never, options);
    };
    return { send } as unknown as SweepOptions['client'];
  }

  it('deletes what TTL would delete', async () => {
    const actor = await stage.it.readyActor();
    const longAgo = inSeconds(actor, -60);
    const released = stage.name();
    await stage.it.put({ name: released, format: leaseFormat, version: 7, lastLeaseId: 'x', ttl: longAgo });
    const crashed = stage.name();
    const expiresAt = (longAgo - 8 * 86_400) * 1_000;
    await stage.it.put({
      name: crashed,
      format: leaseFormat,
      version: 7,
      leaseId: 'x',
      expiresAt,
      ttl: longAgo,
    });
    const completed = stage.name();
    await stage.it.put({
      name: completed,
      format: leaseFormat,
      version: 7,
      completedAt: expiresAt,
      ttl: longAgo,
    });

    expect(await sweep(actor)).toMatchObject({ status: 'done', deleted: 3, spared: 0 });
    for (const name of [released, crashed, completed]) expect(await stage.it.item(name)).toBeUndefined();
  });

  it('deletes nothing else', async () => {
    const actor = await stage.it.readyActor();
    const nowMs = actor.locks.context.clock.now().latest;
    const kept = [
      { ttl: inSeconds(actor, 2) },
      // Perhaps over, perhaps not: the clock's uncertainty counts for the item.
      { ttl: inSeconds(actor, 0) },
      { ttl: 'a text' },
      {},
      // What no client of ours writes; a lease that is valid, or was a moment ago, is spared whatever `ttl` says.
      { leaseId: 'x', expiresAt: nowMs + 60_000, ttl: 1 },
      { leaseId: 'x', expiresAt: nowMs - dayMs + 60_000, ttl: 1 },
      { completedAt: nowMs - dayMs + 60_000, ttl: 1 },
    ];
    const names = kept.map(() => stage.name());
    for (const [i, attributes] of kept.entries()) {
      await stage.it.put({ name: names[i]!, format: leaseFormat, version: 7, ...attributes });
    }
    expect(await sweep(actor)).toMatchObject({ status: 'done', deleted: 0 });
    for (const name of names) expect(await stage.it.item(name)).toBeDefined();
    for (const name of names) await stage.it.remove(name);
  });

  it('goes by the time of the store, not by a clock that is a year ahead', async () => {
    const actor = stage.it.actor();
    actor.clocks.stepWall(365 * dayMs);
    const name = stage.name();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      ttl: Math.floor(Date.now() / 1_000) + 3_600,
    });
    expect(await sweep(actor)).toMatchObject({ status: 'done', deleted: 0 });
    expect(await stage.it.item(name)).toBeDefined();
    await stage.it.remove(name);
  });

  it('spares an item whose lock is taken after it was read, and a late duplicate of the delete changes nothing', async () => {
    const actor = await stage.it.readyActor();
    const holder = await stage.it.readyActor();
    const name = stage.name();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      lastLeaseId: 'x',
      ttl: inSeconds(actor, -60),
    });
    let lease: Awaited<ReturnType<typeof holder.locks.acquire>> | undefined;
    const deletes: DeleteItemCommand[] = [];
    const client = preceded('DeleteItemCommand', async (command) => {
      deletes.push(command as DeleteItemCommand);
      lease ??= await holder.locks.acquire(name);
    });
    expect(await sweep(actor, { client })).toMatchObject({ status: 'done', deleted: 0, spared: 1 });
    expect(lease!.token).toBeGreaterThan(7);

    await lease!.release();
    const again = new DeleteItemCommand(deletes[0]!.input);
    await expect(stage.it.raw.send(again)).rejects.toThrow(/condition/i);
    expect(await stage.it.item(name)).toMatchObject({ version: lease!.token });
  });

  it('I1: the token still rises, even over that of an item that was granted a thousand times a second', async () => {
    const actor = await stage.it.readyActor();
    const name = stage.name();
    const lastLeaseEndedMs = actor.locks.context.clock.now().earliest - dayMs - 10_000;
    // Created long ago and granted in every millisecond since: no token can be higher.
    const version = Math.floor(lastLeaseEndedMs);
    await stage.it.put({ name, format: leaseFormat, version, lastLeaseId: 'x', ttl: inSeconds(actor, -10) });
    expect(await sweep(actor)).toMatchObject({ deleted: 1 });
    const lease = await actor.locks.acquire(name);
    expect(lease.token).toBeGreaterThan(version);
    await lease.release();
  });

  it('stops in time, and the next one goes on from there: every item is read once', async () => {
    const actor = await stage.it.readyActor();
    const names = Array.from({ length: 23 }, () => stage.name());
    for (const [i, name] of names.entries()) {
      await stage.it.put({
        name,
        format: leaseFormat,
        version: 7,
        ttl: inSeconds(actor, i % 4 === 0 ? -60 : 3_600),
      });
    }
    const items = (await stage.it.everything()).length;
    // Two a second are ten a page; the page is over in time, and then there is none left.
    let pages = 0;
    const client = preceded('ScanCommand', async () => void pages++);
    const pace = { deletesPerSecond: 2, client };
    const first = await sweep(actor, { ...pace, remainingMs: () => (pages === 0 ? 60_000 : 30_000) });
    expect(first).toMatchObject({ status: 'more' });
    expect(pages).toBe(1);
    expect(first.scanned).toBeGreaterThan(0);
    expect(first.scanned).toBeLessThan(items);

    const starts: unknown[] = [];
    const watched = preceded('ScanCommand', async (command) => {
      starts.push((command as ScanCommand).input.ExclusiveStartKey);
    });
    const rest = await sweep(actor, { client: watched });
    expect(starts[0]).toBeDefined();
    expect(rest.status).toBe('done');
    expect(first.deleted + rest.deleted).toBe(6);
    const left = (await stage.it.everything()).map(({ name }) => name);
    expect(names.filter((_, i) => i % 4 === 0).filter((name) => left.includes(name))).toEqual([]);

    // The place is forgotten once the end was reached.
    starts.length = 0;
    await sweep(actor, { client: watched });
    expect(starts).toEqual([undefined]);
    for (const name of names) await stage.it.remove(name);
  });

  it('that fails has kept its place of the last full page', async () => {
    const actor = await stage.it.readyActor();
    const names = Array.from({ length: 25 }, () => stage.name());
    for (const name of names)
      await stage.it.put({ name, format: leaseFormat, version: 7, ttl: inSeconds(actor, 3_600) });
    const starts: unknown[] = [];
    const failing = preceded('ScanCommand', async (command) => {
      starts.push((command as ScanCommand).input.ExclusiveStartKey);
      if (starts.length === 3) throw new Error('the store is gone');
    });
    await expect(sweep(actor, { client: failing, deletesPerSecond: 2 })).rejects.toThrow('the store is gone');
    const onward: unknown[] = [];
    const watched = preceded('ScanCommand', async (command) => {
      onward.push((command as ScanCommand).input.ExclusiveStartKey);
    });
    expect(await sweep(actor, { client: watched })).toMatchObject({ status: 'done' });
    expect(onward[0]).toEqual(starts[2]);
    for (const name of names) await stage.it.remove(name);
  });

  it('leaves the table to another sweep that is under way', async () => {
    const other = await stage.it.readyActor();
    const actor = await stage.it.readyActor();
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: 7, ttl: 1 });
    const lease = await other.locks.acquire(sweepName);
    expect(await sweep(actor)).toEqual({ status: 'busy', scanned: 0, deleted: 0, spared: 0 });
    expect(await stage.it.item(name)).toBeDefined();
    await lease.release();
    await stage.it.remove(name);
  });
});
