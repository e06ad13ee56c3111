import { describe, expect, it } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import type { ServiceTransport } from '../../../lib/service-client/service-transport.js';
import { LocalClocks } from '../../support/local-clocks.js';
import { handlerOver } from '../../support/service/in-process.js';
import { shortLease } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

describe('how long a lease still runs, by a client that has no store clock', () => {
  const stage = useStage({ leasesLeft: true });

  /** A client of a service in this process; `way` says what time passes there and back. */
  function clientOf(clocks: LocalClocks, way: { thereMs: number; backMs: number }): LockClient {
    const handle = handlerOver(stage.it.actor());
    const service: ServiceTransport = {
      service: 'here',
      async send(request) {
        clocks.pass(way.thereMs);
        const payload = JSON.stringify(await handle(JSON.parse(request)));
        clocks.pass(way.backMs);
        return { payload, failed: false, attempts: 1 };
      },
    };
    return new LockClient({ ...shortLease, leaseMs: 60_000, runtime: clocks, service });
  }

  it('I2 counts from before the request was sent: a slow answer leaves less', async () => {
    const clocks = new LocalClocks();
    await using locks = clientOf(clocks, { thereMs: 5_000, backMs: 7_000 });
    const name = stage.name();
    const lease = await locks.acquire(name);
    expect(lease.remainingMs).toBeLessThanOrEqual(60_000 - 12_000);
    expect(lease.remainingMs).toBeGreaterThan(40_000);
    await lease.release();
  });

  it('I5 a lease shorter than the service grants any: it ends here as asked for, and its checkpoints are stored', async () => {
    const clocks = new LocalClocks();
    await using locks = clientOf(clocks, { thereMs: 0, backMs: 0 });
    const name = stage.name();
    const lease = await locks.acquire(name, { maxHoldMs: 600 });
    expect(lease.remainingMs).toBeLessThanOrEqual(600);
    for (const page of [1, 2]) {
      await lease.save({ page });
      expect(await stage.it.item(name)).toMatchObject({ checkpoint: { page } });
    }
    // And what the service's clock did not know at the grant, and has learnt since: a second at most.
    expect(lease.remainingMs).toBeLessThanOrEqual(602 + 1_000);
    await lease.release();
  });

  it('I2 gives back a grant that took longer than its lease', async () => {
    const clocks = new LocalClocks();
    await using locks = clientOf(clocks, { thereMs: 40_000, backMs: 40_000 });
    const name = stage.name();
    await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'StoreError' });
    await locks.close();
    expect(await stage.it.item(name)).not.toHaveProperty('leaseId');
  });
});
