import { describe, expect, it } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import type { ServiceTransport } from '../../../lib/service-client/service-transport.js';
import { handlerOver } from '../../support/service/in-process.js';
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

  async function reopenedAndTaken(name: string): Promise<void> {
    const { locks } = await stage.it.readyActor();
    await locks.reopen(name);
    await takenBy(name, 2);
  }
});
