import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import { above } from '../../support/above.js';
import { EventLog } from '../../support/event-log.js';
import { toGrant } from '../../support/grants.js';
import { aWhile } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

describe('whose lock it is', () => {
  const stage = useStage();

  /** A holder that paused past its lease and does not know; somebody else has the lock. */
  async function pausedHolder(name: string) {
    const a = await stage.it.readyActor();
    const b = await stage.it.readyActor();
    const paused = await a.locks.acquire(name);
    await stage.it.expire(name);
    const current = await b.locks.acquire(name);
    a.meter.reset();
    return { a, paused, current };
  }

  it('C01 A’s lease runs out, B acquires, A releases: B’s item is unchanged, and A is told it had lost', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { paused, current } = await pausedHolder(name);
    const before = await stage.it.item(name);
    expect(await paused.release()).toBe('lost');
    expect(await stage.it.item(name)).toEqual(before);
    expect(events.of('lost', name)).toMatchObject([{ token: paused.token, reason: 'taken-over' }]);
    expect(paused.signal.reason).toMatchObject({ name: 'LockLostError', reason: 'taken-over' });
    expect(current.isHeld).toBe(true);
    await current.release();
  });

  it('C02 a second release of an old handle leaves the same owner’s newer lease alone', async () => {
    const name = stage.name();
    const { locks, meter } = await stage.it.readyActor();
    const old = await locks.acquire(name);
    await old.release();
    const newer = await locks.acquire(name);
    expect(newer.owner).toBe(old.owner);
    const before = await stage.it.item(name);
    meter.reset();
    expect(await old.release()).toBe('released');
    await old[Symbol.asyncDispose]();
    expect(meter.total).toBe(0);
    expect(await stage.it.item(name)).toEqual(before);
    await newer.release();
  });

  it('C02 an old handle that was superseded by its own owner leaves the newer lease alone', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const old = await locks.acquire(name);
    const newer = await locks.acquire(name, { supersede: true });
    const before = await stage.it.item(name);
    expect(await old.release()).toBe('lost');
    expect(await stage.it.item(name)).toEqual(before);
    await newer.release();
  });

  it('C03 50 parallel takers of one expired lock: one winner, and the token rises by one', async () => {
    const name = stage.name();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'dead',
      owner: 'dead',
      expiresAt: 1,
    });
    const actors = await Promise.all(Array.from({ length: 5 }, () => stage.it.readyActor()));
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => toGrant(actors[i % 5]!, name, `taker-${i}`)),
    );
    const granted = outcomes.filter(({ kind }) => kind === 'granted');
    expect(granted).toMatchObject([{ grant: { token: above(7) } }]);
    expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(49);
    const [winner] = granted;
    expect(await stage.it.item(name)).toMatchObject({
      version: winner?.kind === 'granted' && winner.grant.token,
    });
  });

  it('C27 the release of a lease that was lost does not throw; it says so', async () => {
    const name = stage.name();
    const { paused, current } = await pausedHolder(name);
    expect(await paused.release()).toBe('lost');
    expect(await paused.release()).toBe('lost');
    await paused[Symbol.asyncDispose]();
    await current.release();
  });

  it('C30 never got it, and got it and lost it, are different errors', async () => {
    const name = stage.name();
    const { a, paused, current } = await pausedHolder(name);
    const lost = await paused.renew().catch((error) => error);
    const never = await a.locks.acquire(name).catch((error) => error);
    expect(lost).toMatchObject({ name: 'LockLostError', code: 'LOCK_LOST', token: paused.token });
    expect(never).toMatchObject({ name: 'LockHeldError', code: 'LOCK_HELD' });
    expect(never.holder.token).toBe(current.token);
    await current.release();
  });

  it('C38 a paused holder wakes after a takeover: its renewal and its checkpoint are refused', async () => {
    const name = stage.name();
    const { paused, current } = await pausedHolder(name);
    const before = await stage.it.item(name);
    const lost = { name: 'LockLostError', reason: 'taken-over' };
    await expect(paused.save('stale')).rejects.toMatchObject(lost);
    await expect(paused.renew()).rejects.toMatchObject(lost);
    expect(() => paused.throwIfLost()).toThrow(expect.objectContaining(lost));
    expect(await stage.it.item(name)).toEqual(before);
    await current.release();
  });

  it('C38 C41 a paused holder wakes after a takeover: its completion is refused, the newer result stays', async () => {
    const name = stage.name();
    const { paused, current } = await pausedHolder(name);
    await expect(paused.complete('stale')).rejects.toMatchObject({ name: 'LockLostError' });
    await current.complete('right');
    expect(await stage.it.item(name)).toMatchObject({ result: 'right' });
    await expect(paused.complete('stale')).rejects.toMatchObject({ name: 'LockLostError' });
    expect(await stage.it.item(name)).toMatchObject({ result: 'right' });
  });

  it('a lease that was lost is never renewed again, and asks nothing of the store', async () => {
    using events = new EventLog();
    const name = stage.name();
    const { a, paused, current } = await pausedHolder(name);
    await expect(paused.renew()).rejects.toMatchObject({ name: 'LockLostError' });
    a.meter.reset();
    await expect(paused.renew()).rejects.toMatchObject({ name: 'LockLostError' });
    await expect(paused.complete()).rejects.toMatchObject({ name: 'LockLostError' });
    await aWhile();
    expect(a.meter.total).toBe(0);
    expect(events.of('lost', name)).toHaveLength(1);
    await current.release();
  });

  it('C25 an item that was deleted under its holder is a loss for it, and the next token is higher', async () => {
    const name = stage.name();
    const { locks } = await stage.it.readyActor();
    const lease = await locks.acquire(name);
    await stage.it.remove(name);
    await expect(lease.renew()).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken' });
    // TTL comes at least a day after a lease; here it is enough that the store's time has passed the old token.
    while (locks.context.clock.now().earliest <= lease.token) await locks.context.table.ping();
    await using next = await locks.acquire(name);
    expect(next.token).toBeGreaterThan(lease.token);
  });
});
