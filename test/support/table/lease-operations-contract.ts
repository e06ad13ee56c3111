import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockClient, type LockClientOptions } from '../../../lib/client/index.js';
import { above } from '../above.js';
import { shortLease } from '../stage.js';
import type { StoreUnderContract } from './lease-table-contract.js';

/** Clients that share one store, by whichever way they reach it. */
export interface ClientsUnderContract {
  /** A machine's client. */
  readonly connect: (options: Partial<LockClientOptions>) => LockClient;
  /** One that may break and reopen. */
  readonly connectOperator: (options: Partial<LockClientOptions>) => LockClient;
  readonly close: () => Promise<void>;
}

/** What sets one way to the store apart from the others. */
export interface WayToTheStore {
  /** Others' lease ids are shown to everybody, not only to operators. */
  readonly showsLeaseIds: boolean;
  /** Attributes and conditions of the user's own can ride along. */
  readonly takesChanges: boolean;
}

/** The life of leases on any `ItemTable`, end to end: two machines, one store. */
export function leaseOperationsContract(open: () => Promise<StoreUnderContract>): void {
  const openClients = async () => {
    const store = await open();
    const connect = (options: Partial<LockClientOptions>) =>
      new LockClient({ ...shortLease, ...options, table: (clock) => store.connect(clock) });
    return { connect, connectOperator: connect, close: store.close };
  };
  lockClientContract(openClients, { showsLeaseIds: true, takesChanges: true });
}

/** The same on clients, however they reach the store. */
export function lockClientContract(open: () => Promise<ClientsUnderContract>, way: WayToTheStore): void {
  describe('the lease operations', () => {
    let clients: ClientsUnderContract;
    let a: LockClient;
    let b: LockClient;
    let operator: LockClient;
    const shown = (leaseId: string) => (way.showsLeaseIds ? leaseId : undefined);

    beforeAll(async () => {
      clients = await open();
      a = clients.connect({ owner: 'a' });
      b = clients.connect({ owner: 'b' });
      operator = clients.connectOperator({ owner: 'operator' });
    });

    afterAll(async () => {
      await a?.close();
      await b?.close();
      await operator?.close();
      await clients?.close();
    });

    it('I1 tokens rise over grants, whoever gets them', async () => {
      const first = await a.acquire('rise');
      await first.release();
      const second = await b.acquire('rise');
      await second.release();
      const third = await a.acquire('rise');
      await third.release();
      expect(second.token).toBeGreaterThan(first.token);
      expect(third.token).toBeGreaterThan(second.token);
    });

    it('a refused taker is told who holds the lock, with the id that break must name where ids are shown', async () => {
      await using lease = await a.acquire('held');
      const refusal = await b.acquire('held').catch((error) => error);
      expect(refusal).toMatchObject({
        name: 'LockHeldError',
        code: 'LOCK_HELD',
        lockName: 'held',
        holder: { owner: 'a', token: lease.token, acquiredAt: lease.acquiredAt },
      });
      expect(refusal.holder.remainingMs).toBeGreaterThan(0);
      expect(refusal.holder.leaseId).toBe(shown(lease.leaseId));
      expect((await b.inspect('held'))?.leaseId).toBe(shown(lease.leaseId));
      expect((await operator.inspect('held'))?.leaseId).toBe(lease.leaseId);
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
      expect(await operator.reopen('finished')).toBe(true);
      expect(await operator.reopen('finished')).toBe(true);
      expect(await operator.reopen('never-there')).toBe(false);
      await using again = await b.acquire('finished');
      expect(again.token).toBeGreaterThan(lease.token);
    });

    it('I4 a lease that was broken changes nothing any more, and its holder is told', async () => {
      const lease = await a.acquire('broken');
      expect(await operator.break('broken', 'another-id')).toBe(false);
      expect(await operator.break('broken', lease.leaseId)).toBe(true);
      expect(await operator.break('broken', lease.leaseId)).toBe(true);
      const before = await b.inspect('broken');
      expect(before).toMatchObject({ state: 'free', token: lease.token });
      await expect(lease.save('late')).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken' });
      expect(lease.signal.reason).toMatchObject({ reason: 'broken' });
      expect(await lease.release()).toBe('lost');
      expect(await b.inspect('broken')).toEqual(before);
    });

    it('work is done once: the second caller gets the first one’s result', async () => {
      expect(await a.once('once', () => ({ made: 1 }))).toEqual({ ran: true, result: { made: 1 } });
      expect(await b.once('once', () => ({ made: 2 }))).toEqual({ ran: false, result: { made: 1 } });
      expect(await b.once('kept', () => 7, { retainMs: 86_400_000 })).toEqual({ ran: true, result: 7 });
      expect(await a.once('kept', () => 8)).toEqual({ ran: false, result: 7 });
    });

    it('a waiter gets the lock when it is released, and the first that is free is claimed', async () => {
      const first = await a.acquire('waited-for');
      const second = b.acquire('waited-for', { waitMs: 20_000 });
      expect((await b.claimNext(['waited-for', 'spare']))?.name).toBe('spare');
      await first.release();
      expect((await second).token).toBeGreaterThan(first.token);
      await (await second).release();
    });

    it('minHoldMs: a lock that is released sooner is free, but nobody gets it before then', async () => {
      const minHoldMs = 400;
      const first = await a.acquire('not-yet', { minHoldMs });
      expect(await first.release()).toBe('released');
      const freeFrom = first.acquiredAt + minHoldMs;
      const refusal = await b.acquire('not-yet').catch((error) => error);
      expect(refusal).toMatchObject({ name: 'LockHeldError', holder: undefined });
      expect(refusal.freeInMs).toBeGreaterThan(0);
      expect(await b.inspect('not-yet')).toMatchObject({ state: 'free', freeFrom, owner: undefined });
      expect(await b.tryAcquire('not-yet')).toBeNull();
      const second = await b.acquire('not-yet', { waitMs: 10_000 });
      // The token is the time of the grant.
      expect(second.token).toBeGreaterThan(freeFrom);
      expect(await b.inspect('not-yet')).toMatchObject({ state: 'held', freeFrom: undefined });
      await second.release();
      await using third = await a.acquire('not-yet');
      expect(third.token).toBeGreaterThan(second.token);
    });

    it('minHoldMs: a break frees at once, and so does a release that comes after it', async () => {
      const broken = await a.acquire('not-kept', { minHoldMs: 60_000 });
      expect(await operator.break('not-kept', broken.leaseId)).toBe(true);
      await broken.release();
      const late = await b.acquire('not-kept', { minHoldMs: 1 });
      await late.renew();
      await late.release();
      await using next = await a.acquire('not-kept', { lockDelayMs: 60_000, waitMs: 5_000 });
      expect(next.token).toBeGreaterThan(late.token);
    });

    it('a lease that is handed over goes on elsewhere, with a higher token and its checkpoint', async () => {
      const first = await a.acquire('handed-over');
      await first.save({ page: 5 });
      const handedOver = JSON.parse(JSON.stringify(await first.handOver()));
      expect(await b.tryAcquire('handed-over')).toBeNull();
      const second = await b.resume(handedOver);
      expect(second).toMatchObject({ token: above(first.token), checkpoint: { page: 5 } });
      expect(second.takenOverFrom).toBeUndefined();
      await second.release();
      await expect(a.resume(handedOver)).rejects.toMatchObject({ name: 'LockLostError' });
    });

    it('what JSON can’t carry, or DynamoDB can’t store, is refused and not changed on the way', async () => {
      await using lease = await a.acquire('values');
      for (const value of [Number.NaN, () => {}, Number.MAX_SAFE_INTEGER + 1]) {
        await expect(lease.save(value)).rejects.toMatchObject({ name: 'UsageError' });
      }
      await lease.save({ list: [1, 'two', null, { three: true, none: undefined }], text: '\u{1F512}' });
      const checkpoint = { list: [1, 'two', null, { three: true }], text: '\u{1F512}' };
      expect(await b.inspect('values')).toMatchObject({ checkpoint });
      await lease.save(null);
      expect((await b.inspect('values'))?.checkpoint).toBeNull();
    });

    it('a lock is superseded by its own owner at once, and by nobody else', async () => {
      const first = await a.acquire('super', { owner: 'worker-7' });
      expect(await b.tryAcquire('super', { owner: 'worker-8', supersede: true })).toBeNull();
      await using second = await b.acquire('super', { owner: 'worker-7', supersede: true });
      expect(second.token).toBeGreaterThan(first.token);
      expect(second.takenOverFrom).toEqual({
        owner: 'worker-7',
        token: first.token,
        leaseId: shown(first.leaseId),
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

    if (!way.takesChanges) {
      it('a change of one’s own is refused in plain words, and nothing is granted', async () => {
        const refused = {
          name: 'UsageError',
          message: expect.stringContaining('need a client with a table'),
        };
        const change = { set: { plan: 'p' } };
        await expect(a.acquire('no-ride', { change })).rejects.toMatchObject(refused);
        await expect(a.cronSlot('no-slot', 0, () => {})).rejects.toMatchObject({ name: 'UsageError' });
        expect(await a.inspect('no-ride')).toBeUndefined();
        await using lease = await a.acquire('no-ride');
        await expect(lease.renewWith(change)).rejects.toMatchObject(refused);
        await expect(lease.completeWith(1, change)).rejects.toMatchObject(refused);
        expect(lease.isHeld).toBe(true);
      });
    } else {
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
    }
  });
}
