import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import { toGrant } from '../../support/grants.js';
import { bySize } from '../../support/size.js';
import { useStage } from '../../support/use-stage.js';

const cycles = bySize({ short: 200, long: 1_000 });

describe('I1: fencing tokens', () => {
  const stage = useStage();

  it('C22 rise strictly over hundreds of cycles of acquire and expiry or release', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    let last = 0;
    for (let cycle = 0; cycle < cycles; cycle++) {
      const leaseId = `cycle-${cycle}`;
      const outcome = await toGrant(actor, name, leaseId);
      if (outcome.kind !== 'granted') throw new Error(`cycle ${cycle}: ${outcome.kind}`);
      expect(outcome.grant.token).toBeGreaterThan(last);
      last = outcome.grant.token;
      if (cycle % 2 === 0) await stage.it.expire(name);
      else await actor.locks.break(name, leaseId);
    }
  });

  it('C23 the token after a deletion, as TTL would do it, is higher', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    let last = 0;
    for (let life = 0; life < 3; life++) {
      const lease = await locks.acquire(name);
      expect(lease.token).toBeGreaterThan(last);
      last = lease.token;
      await lease.release();
      await stage.it.remove(name);
      // TTL comes at least a day later; here it is enough that the store's time has passed the last token.
      while (locks.context.clock.now().earliest <= last) await locks.context.table.ping();
    }
  });

  it('C23 a new item starts at the store’s time, far above what an old one can have counted to', async () => {
    const { locks } = await stage.it.readyActor();
    const { earliest } = locks.context.clock.now();
    await using lease = await locks.acquire(stage.name());
    expect(lease.token).toBeGreaterThan(earliest);
    expect(lease.token).toBeLessThanOrEqual(Math.ceil(lease.acquiredAt) + 1);
    expect(Number.isSafeInteger(lease.token)).toBe(true);
  });

  it('a token that has no successor is not granted on', async () => {
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: Number.MAX_SAFE_INTEGER });
    const { locks } = await stage.it.readyActor();
    await expect(locks.tryAcquire(name)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/version is out of range/),
    });
    expect(await stage.it.item(name)).toEqual({ name, version: Number.MAX_SAFE_INTEGER });
  });
});
