import { describe, expect, it } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import type { ServiceTransport } from '../../../lib/service-client/service-transport.js';
import { EventLog } from '../../support/event-log.js';
import { handlerOver, rightRequests } from '../../support/service/in-process.js';
import { shortLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

describe('the end of a lease by the service, asked for again because nobody answered', () => {
  const stage = useStage({ leasesLeft: true });

  /** A client whose next end of a lease is carried out, then sent again when `meanwhile` is over. */
  function clientOf(meanwhile: () => Promise<void>): LockClient {
    const handle = handlerOver(stage.it.actor());
    const service: ServiceTransport = {
      service: 'here',
      async send(request) {
        const asked = JSON.parse(request);
        const isEnd = asked.operation === 'release' || asked.operation === 'complete';
        if (isEnd) {
          await handle(asked);
          await meanwhile();
        }
        return { payload: JSON.stringify(await handle(asked)), failed: false, attempts: isEnd ? 2 : 1 };
      },
    };
    return new LockClient({ ...shortLease, leaseMs: 60_000, service });
  }

  /** Others have the lock, one after the other; the last keeps it. */
  async function takenBy(name: string, holders: number): Promise<void> {
    const { locks } = await stage.it.readyActor();
    for (let left = holders; left > 0; left--) {
      const lease = await locks.acquire(name);
      if (left > 1) await lease.release();
    }
  }

  it('D01 is a release although a waiter was granted in between', async () => {
    const name = stage.name();
    await using locks = clientOf(() => takenBy(name, 1));
    const lease = await locks.acquire(name);
    expect(await lease.release()).toBe('released');
    expect(lease.loss).toBeUndefined();
  });

  it('D01 is unknown, and no loss, after several holders', async () => {
    const name = stage.name();
    await using locks = clientOf(() => takenBy(name, 2));
    expect(await locks.withLock(name, () => 'done')).toBe('done');
    const other = stage.name();
    await using again = clientOf(() => reopenedAndTaken(other));
    const lease = await again.acquire(other);
    const unknown = { name: 'StoreError', retryable: false, mayHaveApplied: true };
    await expect(lease.complete('r')).rejects.toMatchObject(unknown);
    expect(lease.loss).toBeUndefined();
  });

  it.each(['release', 'complete'] as const)(
    'D01 is unknown to the service itself, and told as no loss, where a %s says that it is a repeat',
    async (operation) => {
      using events = new EventLog();
      const name = stage.name();
      const handle = handlerOver(stage.it.actor());
      const requests = rightRequests(name);
      const { token } = (await handle(requests.acquire)).granted;
      const end = { ...requests[operation], token };
      await handle(end);
      await (operation === 'complete' ? reopenedAndTaken(name) : takenBy(name, 2));
      expect(await handle({ ...end, retries: 1 })).toMatchObject({
        ok: false,
        error: { name: 'StoreError', retryable: false, mayHaveApplied: true },
      });
      expect(await handle({ ...requests.renew, token, retries: 1 })).toMatchObject({
        error: { name: 'LockLostError' },
      });
      expect(events.of('lost', name)).toEqual([]);
      // A first attempt that finds others has lost it, for certain.
      await handle({ ...end, retries: 0 });
      expect(events.of('lost', name)).toMatchObject([{ reason: 'taken-over' }]);
    },
  );

  it('D01 a grant that nobody heard of is given back, and no loss, whoever holds', async () => {
    using events = new EventLog();
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    await takenBy(name, 1);
    const { release } = rightRequests(name);
    const { token: _, ...withoutToken } = release;
    expect(await handle(withoutToken)).toMatchObject({ ok: true, released: false, reason: 'taken-over' });
    expect(events.of('lost', name)).toEqual([]);
  });

  it('D01 the client tells the service of its own attempts', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const asked: { readonly operation: string; readonly retries?: number }[] = [];
    const service: ServiceTransport = {
      service: 'here',
      async send(request) {
        const one = JSON.parse(request);
        const isFirstEnd =
          one.operation === 'complete' && !asked.some((last) => last.operation === 'complete');
        asked.push(one);
        const payload = JSON.stringify(await handle(one));
        if (isFirstEnd) throw Object.assign(new Error('reset'), { name: 'TimeoutError' });
        return { payload, failed: false, attempts: 1 };
      },
    };
    await using locks = new LockClient({ ...shortLease, leaseMs: 60_000, service });
    const lease = await locks.acquire(name);
    await expect(lease.complete('r')).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied: true });
    await lease.complete('r');
    expect(asked.map(({ operation, retries }) => [operation, retries])).toEqual([
      ['acquire', undefined],
      ['complete', undefined],
      ['complete', 1],
    ]);
  });

  it.each([
    [1, false],
    [2, true],
  ])(
    'D01 a write that was sent %i times and refused at last may have been applied: %s',
    async (attempts, mayHaveApplied) => {
      const name = stage.name();
      const handle = handlerOver(stage.it.actor());
      const error = {
        name: 'StoreError',
        message: 'Table "leases" is throttled',
        lockName: name,
        retryable: true,
        mayHaveApplied: false,
      };
      const service: ServiceTransport = {
        service: 'here',
        async send(request) {
          const { operation } = JSON.parse(request);
          const refused = { ok: false, error };
          const answer = operation === 'release' ? refused : await handle(JSON.parse(request));
          return { payload: JSON.stringify(answer), failed: false, attempts };
        },
      };
      await using locks = new LockClient({ ...shortLease, leaseMs: 60_000, service });
      const lease = await locks.acquire(name);
      await expect(lease.release()).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied });
    },
  );

  it('D17 a list whose cursor comes again ends with an error, and not never', async () => {
    const now = { earliest: 1_800_000_000_000, latest: 1_800_000_000_001 };
    const payload = JSON.stringify({ ok: true, locks: [], cursor: 'the same', now });
    const service: ServiceTransport = {
      service: 'here',
      send: async () => ({ payload, failed: false, attempts: 1 }),
    };
    await using locks = new LockClient({ ...shortLease, service });
    const listed = (async () => {
      for await (const _ of locks.list());
    })();
    await expect(listed).rejects.toMatchObject({ name: 'StoreError', retryable: false });
  });

  async function reopenedAndTaken(name: string): Promise<void> {
    const { locks } = await stage.it.readyActor();
    await locks.reopen(name);
    await takenBy(name, 2);
  }
});
