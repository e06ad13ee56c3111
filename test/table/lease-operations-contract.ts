import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockClient, type LockClientOptions } from '../../lib/client/index.js';
import { shortLease } from '../support/stage.js';
import type { StoreUnderContract } from './lease-table-contract.js';

/** The life of leases on any `LeaseTable`, end to end: two machines, one store. */
export function leaseOperationsContract(open: () => Promise<StoreUnderContract>): void {
  describe('the lease operations', () => {
    let store: StoreUnderContract;
    let a: LockClient;
    let b: LockClient;

    const connect = (options: Partial<LockClientOptions>) =>
      new LockClient({ ...shortLease, ...options, table: (clock) => store.connect(clock) });

    beforeAll(async () => {
      store = await open();
      a = connect({ owner: 'a' });
      b = connect({ owner: 'b' });
    });

    afterAll(async () => {
      await a?.close();
      await b?.close();
      await store?.close();
    });

    it('I1 tokens rise by one over grants, whoever gets them', async () => {
      const first = await a.acquire('rise');
      await first.release();
      const second = await b.acquire('rise');
      await second.release();
      const third = await a.acquire('rise');
      await third.release();
      expect([second.token, third.token]).toEqual([first.token + 1, first.token + 2]);
    });

    it('a refused taker is told who holds the lock, with the id that break must name', async () => {
      await using lease = await a.acquire('held');
      const refusal = await b.acquire('held').catch((error) => error);
      expect(refusal).toMatchObject({
        name: 'LockHeldError',
        code: 'LOCK_HELD',
        lockName: 'held',
        holder: { owner: 'a', token: lease.token, leaseId: lease.leaseId, acquiredAt: lease.acquiredAt },
      });
      expect(refusal.holder.remainingMs).toBeGreaterThan(0);
      expect(await b.tryAcquire('held')).toBeNull();
    });

    it('a checkpoint survives renewal, release and the next grant', async () => {
      const first = await a.acquire('progress');
      expect(first.checkpoint).toBeUndefined();
      await first.save({ page: 3 });
      await first.renew();
      expect(await b.inspect('progress')).toMatchObject({ checkpoint: { page: 3 }, renewals: 2 });
      await first.release();
      await using second = await b.acquire('progress');
      expect(second.checkpoint).toEqual({ page: 3 });
    });

    it('a checkpoint can be taken away again', async () => {
      await using lease = await a.acquire('no-progress');
      await lease.save('x');
      await lease.save(undefined);
      expect(lease.checkpoint).toBeUndefined();
      expect((await a.inspect('no-progress'))?.checkpoint).toBeUndefined();
    });

    it('I7 a completed name is never granted again, and its result comes back, until it is reopened', async () => {
      const lease = await a.acquire('finished');
      await lease.complete({ sum: 42 });
      await expect(b.acquire('finished', { waitMs: 1_000 })).rejects.toMatchObject({
        name: 'AlreadyCompletedError',
        result: { sum: 42 },
      });
      await expect(a.tryAcquire('finished')).rejects.toMatchObject({ name: 'AlreadyCompletedError' });
      expect(await b.inspect('finished')).toMatchObject({ state: 'completed', result: { sum: 42 } });
      expect(await b.reopen('finished')).toBe(true);
      expect(await b.reopen('finished')).toBe(true);
      expect(await b.reopen('never-there')).toBe(false);
      await using again = await b.acquire('finished');
      expect(again.token).toBe(lease.token + 1);
    });

    it('I4 a lease that was broken changes nothing any more, and its holder is told', async () => {
      const lease = await a.acquire('broken');
      expect(await b.break('broken', 'another id')).toBe(false);
      expect(await b.break('broken', lease.leaseId)).toBe(true);
      expect(await b.break('broken', lease.leaseId)).toBe(true);
      const before = await b.inspect('broken');
      expect(before).toMatchObject({ state: 'free', token: lease.token });
      await expect(lease.save('late')).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken' });
      expect(lease.signal.reason).toMatchObject({ reason: 'broken' });
      expect(await lease.release()).toBe('lost');
      expect(await b.inspect('broken')).toEqual(before);
    });

    it('a lock is superseded by its own owner at once, and by nobody else', async () => {
      const first = await a.acquire('super', { owner: 'worker-7' });
      expect(await b.tryAcquire('super', { owner: 'worker-8', supersede: true })).toBeNull();
      await using second = await b.acquire('super', { owner: 'worker-7', supersede: true });
      expect(second.token).toBe(first.token + 1);
      expect(second.takenOverFrom).toEqual({
        owner: 'worker-7',
        token: first.token,
        leaseId: first.leaseId,
      });
      await expect(first.renew()).rejects.toMatchObject({ name: 'LockLostError', reason: 'taken-over' });
      expect(second.isHeld).toBe(true);
    });

    it('the members of a group are listed with their state, and all locks without a group', async () => {
      await using _one = await a.acquire('group/1', { group: 'g' });
      await (await a.acquire('group/2', { group: 'g' })).release();
      await (await a.acquire('group/3', { group: 'g' })).complete();
      const listed: Record<string, string> = {};
      for await (const { name, state } of b.list({ group: 'g' })) listed[name] = state;
      expect(listed).toEqual({ 'group/1': 'held', 'group/2': 'free', 'group/3': 'completed' });
      const all: string[] = [];
      for await (const { name } of b.list()) all.push(name);
      expect(all).toEqual(expect.arrayContaining(['rise', 'group/1', 'group/2', 'group/3']));
    });

    it('a change rides along with a grant, and its condition can refuse it without a lease', async () => {
      const condition = { text: 'attribute_exists(#plan)' };
      expect(await a.tryAcquire('ride', { change: { condition } })).toBeNull();
      expect(await a.inspect('ride')).toBeUndefined();
      const lease = await a.acquire('ride', { change: { set: { plan: 'p' } } });
      const wrong = { set: { plan: 'q' }, condition: { text: '#plan = :q', values: { ':q': 'q' } } };
      expect(await lease.renewWith(wrong)).toMatchObject({ applied: false, item: { plan: 'p' } });
      expect(await lease.completeWith(1, wrong)).toMatchObject({ applied: false, item: { plan: 'p' } });
      expect(lease.isHeld).toBe(true);
      await lease.release({ set: { plan: 'done' } });
      await using next = await b.acquire('ride', { change: { condition } });
      expect(next.itemBefore).toMatchObject({ plan: 'done' });
    });
  });
}
