import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { guardPut } from '../../../lib/fence/index.js';
import { lineName } from '../../../lib/kit/line-store.js';
import type { Lease } from '../../../lib/lease/index.js';
import { madeTable } from '../../support/made-table.js';
import { shortLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

describe('a leader', () => {
  const stage = useStage({ leasesLeft: true });

  it('is one of many; when its work returns its call ends, and the next leads', async () => {
    const name = stage.name();
    const actors = await Promise.all([1, 2, 3].map(() => stage.it.readyActor()));
    const led: number[] = [];
    await Promise.all(
      actors.map(({ locks }, i) =>
        locks.lead(name, async (lease) => {
          expect(await locks.leader(name)).toMatchObject({ token: lease.token });
          led.push(i);
        }),
      ),
    );
    expect([...led].sort()).toEqual([0, 1, 2]);
    expect(await actors[0]!.locks.leader(name)).toBeUndefined();
  });

  it('campaigns again after a loss, under a higher token', async () => {
    const name = stage.name();
    const operator = await stage.it.readyActor();
    const { locks } = await stage.it.readyActor({ renewEveryMs: 100 });
    const tokens: number[] = [];
    const result = await locks.lead(name, async (lease, { signal }) => {
      tokens.push(lease.token);
      if (tokens.length === 2) return 'second term';
      await operator.locks.break(name, lease.leaseId);
      await aborted(signal);
      return 'first term';
    });
    expect(result).toBe('second term');
    expect(tokens[1]).toBeGreaterThan(tokens[0]!);
  });

  it('throws the error of its work, and releases first', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const mine = new Error('mine');
    await expect(locks.lead(name, () => Promise.reject(mine))).rejects.toBe(mine);
    expect(await locks.inspect(name)).toMatchObject({ state: 'free' });
  });

  it('ends with the caller’s signal, released first, while it leads and while it campaigns', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const controller = new AbortController();
    const { signal: end } = controller;
    const stops = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      await aborted(signal);
      signal.throwIfAborted();
    };
    const leading = a.locks.lead(name, stops, { signal: end });
    await expect.poll(() => a.locks.leader(name)).toBeDefined();
    const campaign = b.locks.lead(name, () => 'never', { signal: end });
    await expect.poll(() => b.meter.writes).toBe(1);
    controller.abort('closing');
    for (const ended of await Promise.allSettled([leading, campaign])) {
      expect(ended).toEqual({ status: 'rejected', reason: 'closing' });
    }
    expect(await a.locks.inspect(name)).toMatchObject({ state: 'free' });
  });

  it('steps down when somebody asks, and another leads without waiting for a lease to end', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor({ renewEveryMs: 100 });
    const b = await stage.it.readyActor();
    const end = new AbortController();
    const first = a.locks.lead(name, (_, { signal }) => aborted(signal), { signal: end.signal });
    await expect.poll(() => a.locks.leader(name)).toBeDefined();
    const leader = (await a.locks.leader(name))!;
    const second = b.locks.lead(name, (lease) => lease.takenOverFrom ?? 'released');
    expect(await b.locks.requestRelease(name, leader.leaseId!, { reason: 'deployment' })).toBe(true);
    expect(await second).toBe('released');
    end.abort('over');
    await expect(first).rejects.toBe('over');
  });

  it('that sleeps past its lease leads no more when it wakes, and what it writes is refused', async () => {
    const name = stage.name();
    const table = `ledger-of-${name.replace(/\W/g, '-')}`;
    await madeTable(stage.it.raw, table, 'id');
    const ledger = DynamoDBDocumentClient.from(stage.it.raw);
    const write = (lease: Lease, by: string) =>
      ledger.send(guardPut(lease, { TableName: table, Item: { id: 'the one', by } }));
    const [a, b] = [await stage.it.readyActor(), await stage.it.readyActor()];
    const end = new AbortController();
    const successor = new Promise<number>((resolve, reject) => {
      a.locks
        .lead(
          name,
          async (lease, { signal }) => {
            await write(lease, 'a');
            // As after a long sleep: its lease is over, and another leads.
            await stage.it.expire(name);
            const token = await b.locks.lead(name, async (newer) => {
              await write(newer, 'b');
              return newer.token;
            });
            a.clocks.stepWall(shortLease.leaseMs + 2_000);
            expect(lease.isHeld).toBe(false);
            expect(signal.aborted).toBe(true);
            await expect(write(lease, 'a')).rejects.toMatchObject({
              name: 'StaleTokenError',
              token: lease.token,
            });
            end.abort('enough');
            resolve(token - lease.token);
          },
          { signal: end.signal },
        )
        .catch((error) => (error === 'enough' ? undefined : reject(error)));
    });
    expect(await successor).toBeGreaterThan(0);
  });

  it('waits on at a line that is full, and ends with the caller’s own time by no wrong option', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const full = Array.from({ length: 100 }, (_, i) => `${Date.now() + 3_600_000} waiter-${i}`);
    await stage.it.put({ name: lineName(name), tickets: full, ttl: 9_999_999_999 });
    const since = performance.now();
    const endsInMs = () => 1_500 - (performance.now() - since);
    await expect(locks.lead(name, () => 'never', { fair: true, endsInMs })).rejects.toMatchObject({
      name: 'LockHeldError',
    });
  });

  it('is asked only as it was seen: a lease that was granted meanwhile is left alone', async () => {
    const name = stage.name();
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const seen = await a.locks.acquire(name);
    await seen.release();
    await using _later = await b.locks.acquire(name);
    expect(await a.locks.requestRelease(name, seen.leaseId)).toBe(false);
    expect(await a.locks.requestRelease(name, { token: seen.token })).toBe(false);
    expect(await stage.it.item(name)).not.toHaveProperty('releaseRequested');
  });
});
