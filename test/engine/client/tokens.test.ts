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
    }
  });

  it('C23 the token is the store’s time: no later than it is, and less than the clock’s width behind', async () => {
    const { locks } = await stage.it.readyActor();
    const { earliest } = locks.context.clock.now();
    await using lease = await locks.acquire(stage.name());
    expect(lease.token).toBeGreaterThanOrEqual(earliest);
    expect(lease.token).toBeLessThanOrEqual(lease.acquiredAt);
    expect(Number.isSafeInteger(lease.token)).toBe(true);
  });

  it('D02 an item that a client with a wide clock has made is deleted: the next token is higher', async () => {
    const name = stage.name();
    const narrow = await stage.it.readyActor();
    const { clock, table } = narrow.locks.context;
    const width = () => clock.now().latest - clock.now().earliest;
    while (width() > 100) await table.ping();
    const wide = stage.it.actor();
    const slow = wide.locks.context.clock.instant();
    // One answer that took three seconds is all that it knows.
    wide.locks.context.clock.observe(
      { monotonicMs: slow.monotonicMs - 3_000, wallMs: slow.wallMs - 3_000 },
      new Date(Date.now() - 1_500).toUTCString(),
    );
    const lease = await wide.locks.acquire(name);
    await lease.release();
    await stage.it.remove(name);
    await using next = await narrow.locks.acquire(name);
    expect(next.token).toBeGreaterThan(lease.token);
  });

  it('D04 I1 a table is put back to what it was: the next token is above all that were given since', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    await (await locks.acquire(name)).release();
    const backup = (await stage.it.item(name))!;
    let last = 0;
    for (let cycle = 0; cycle < 20; cycle++) {
      const lease = await locks.acquire(name);
      last = lease.token;
      await lease.release();
    }
    await stage.it.put({ ...backup, name });
    await using lease = await locks.acquire(name);
    expect(lease.token).toBeGreaterThan(last);
  });

  it('I1 a client whose clock is behind takes a free lock above a token that lies ahead of it, at one more write', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const version = Math.ceil(locks.context.clock.now().latest) + 60_000;
    await stage.it.put({ name, format: leaseFormat, version });
    await using lease = await locks.acquire(name);
    expect(lease.token).toBe(version + 1);
    expect(meter.writes).toBe(2);
  });

  it('a token that has no successor is not granted on', async () => {
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: Number.MAX_SAFE_INTEGER });
    const { locks } = await stage.it.readyActor();
    await expect(locks.tryAcquire(name)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/version is out of range/),
    });
    expect(await stage.it.item(name)).toEqual({
      name,
      format: leaseFormat,
      version: Number.MAX_SAFE_INTEGER,
    });
  });
});
