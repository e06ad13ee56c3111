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
      // Longer than a busy machine takes for what follows.
      const minHoldMs = 60_000;
      const first = await a.acquire('not-yet', { minHoldMs });
      expect(await first.release()).toBe('released');
      const freeFrom = first.acquiredAt + minHoldMs;
      const refusal = await b.acquire('not-yet').catch((error) => error);
      expect(refusal).toMatchObject({ name: 'LockHeldError', holder: undefined });
      expect(refusal.freeInMs).toBeGreaterThan(0);
      expect(await b.inspect('not-yet')).toMatchObject({ state: 'free', freeFrom, owner: undefined });
      expect(await b.tryAcquire('not-yet')).toBeNull();
    });

    it('minHoldMs: whoever waits gets the lock when it has passed, and the next one at once', async () => {
      const minHoldMs = 400;
      const first = await a.acquire('waited-for', { minHoldMs });
      await first.release();
      const second = await b.acquire('waited-for', { waitMs: 20_000 });
      // The token is the time of the grant.
      expect(second.token).toBeGreaterThan(first.acquiredAt + minHoldMs);
      expect(await b.inspect('waited-for')).toMatchObject({ state: 'held', freeFrom: undefined });
      await second.release();
      await using third = await a.acquire('waited-for');
      expect(third.token).toBeGreaterThan(second.token);
    });

    it('minHoldMs: a break frees at once, and so does a release that comes after it', async () => {
      const broken = await a.acquire('not-kept', { minHoldMs: 60_000 });
      expect(await operator.break('not-kept', broken.leaseId)).toBe(true);
      await broken.release();
      const late = await b.acquire('not-kept', { minHoldMs: 1 });
      await late.renew();
      await late.release();
      await using next = await a.acquire('not-kept', { lockDelayMs: 60_000, waitMs: 30_000 });
      expect(next.token).toBeGreaterThan(late.token);
    });

    it('the kit: a semaphore gives its permits, each a lease, and no more', async () => {
      const [mine, theirs] = [a, b].map((locks) => locks.semaphore('kit/api', { permits: 2 }));
      const first = await mine!.acquire();
      const second = await theirs!.acquire();
      expect([first.name, second.name].sort()).toEqual(['kit/api#0', 'kit/api#1']);
      expect(await mine!.tryAcquire()).toBeNull();
      expect(await theirs!.inspect()).toMatchObject({ permits: 2, free: 0 });
      const waiting = theirs!.withPermit((lease) => lease.name, { waitMs: 10_000 });
      await first.release();
      expect(await waiting).toBe(first.name);
      await second.release();
      expect(await mine!.inspect()).toMatchObject({ free: 2, held: [] });
      // By its name a permit is no plain lock, but operators look at it and break it.
      await expect(b.acquire(first.name)).rejects.toMatchObject({ name: 'UsageError' });
      const broken = await mine!.acquire();
      expect(await operator.inspect(broken.name)).toMatchObject({ state: 'held', leaseId: broken.leaseId });
      expect(await operator.break(broken.name, broken.leaseId)).toBe(true);
      expect(await broken.release()).toBe('lost');
    });

    it('the kit: several locks, crossing lists', async () => {
      const turns = [a, b, a, b].map((locks, i) =>
        locks.withLocks(i % 2 === 0 ? ['kit/x', 'kit/y'] : ['kit/y', 'kit/x'], (group) => group.names, {
          waitMs: 20_000,
        }),
      );
      for (const names of await Promise.all(turns)) expect(names).toEqual(['kit/x', 'kit/y']);
    });

    it('the kit: a leader that is asked to let go steps down, by its id or by its token', async () => {
      const stop = new AbortController();
      const terms: string[] = [];
      const lead = (locks: LockClient) =>
        locks
          .lead(
            'kit/leader',
            (lease, { signal }) =>
              new Promise<void>((_resolve, reject) => {
                terms.push(lease.owner);
                signal.addEventListener('abort', () => reject(signal.reason), { once: true });
              }),
            { signal: stop.signal, renewEveryMs: 200 },
          )
          .catch((error) => error);
      const leading = lead(a);
      await expect.poll(() => terms).toEqual(['a']);
      const other = lead(b);
      const seen = (await b.leader('kit/leader'))!;
      expect(seen).toMatchObject({ owner: 'a', leaseId: shown(seen.leaseId ?? '') });
      expect(await b.requestRelease('kit/leader', { token: seen.token - 1 })).toBe(false);
      expect(await b.requestRelease('kit/leader', seen, { reason: 'deployment' })).toBe(true);
      await expect.poll(() => terms).toEqual(['a', 'b']);
      expect((await a.leader('kit/leader'))?.owner).toBe('b');
      stop.abort(new Error('enough'));
      expect(await Promise.all([leading, other])).toEqual([stop.signal.reason, stop.signal.reason]);
      await expect(b.requestRelease('kit/leader', {})).rejects.toMatchObject({ name: 'UsageError' });
    });

    it('the kit: readers beside each other, a writer alone', async () => {
      const [mine, theirs] = [a, b].map((locks) => locks.readWriteLock('kit/catalog', { readers: 2 }));
      const reader = await mine!.acquireRead();
      await expect(theirs!.acquireWrite()).rejects.toMatchObject({ name: 'LockHeldError' });
      const second = await theirs!.acquireRead();
      const writing = theirs!.write((lock) => lock.token, { waitMs: 20_000 });
      await reader.release();
      await second.release();
      expect(await writing).toBeGreaterThan(0);
      expect(await mine!.read(() => 'read', { waitMs: 10_000 })).toBe('read');
    });

    it('the kit: in line, first come, first served, and no ticket is left', async () => {
      const lease = await a.acquire('kit/turn');
      const order: string[] = [];
      const first = b.withLock('kit/turn', () => void order.push('b'), { fair: true, waitMs: 20_000 });
      const line = () => b.context.store.readLine('kit/turn');
      await expect.poll(line).toHaveLength(1);
      const second = operator.withLock('kit/turn', () => void order.push('o'), {
        fair: true,
        waitMs: 20_000,
      });
      await expect.poll(line).toHaveLength(2);
      await lease.release();
      await Promise.all([first, second]);
      expect(order).toEqual(['b', 'o']);
      expect(await line()).toEqual([]);
    });

    it('the kit: a line that is full refuses with a typed error', async () => {
      const { store, clock } = a.context;
      await store.ensureTime();
      await store.read('kit/full');
      const deadline = Math.ceil(clock.now().latest) + 60_000;
      for (let i = 0; i < 100; i++) await store.joinLine('kit/full', { id: `ticket-${i}`, deadline });
      const late = store.joinLine('kit/full', { id: 'ticket-late', deadline });
      await expect(late).rejects.toMatchObject({ name: 'LineFullError', code: 'LINE_FULL' });
      await store.joinLine('kit/full', { id: 'ticket-7', deadline });
      // One that leaves makes room for one.
      await store.leaveLine('kit/full', { id: 'ticket-0' });
      await store.joinLine('kit/full', { id: 'ticket-late', deadline });
      const tickets = (await store.readLine('kit/full')).map(({ id }) => id);
      expect(tickets).toHaveLength(100);
      expect(tickets).toContain('ticket-late');
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
