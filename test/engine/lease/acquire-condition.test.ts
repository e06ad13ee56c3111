import { describe, expect, it } from 'vitest';
import { leaseFormat, requestRelease, takeoverBefore } from '../../../lib/lease/index.js';
import { isUnrenewed } from '../../../lib/lease/later-conditions.js';
import { above } from '../../support/above.js';
import { toGrant } from '../../support/grants.js';
import { useStage } from '../../support/use-stage.js';

const longAgo = 1_600_000_000_000;

describe('the acquire condition, part by part, on a real engine', () => {
  const stage = useStage();

  it('I7 notCompleted: a completed name is not granted, though nobody holds it', async () => {
    const name = stage.name();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      completedAt: longAgo,
      result: 'r',
      lastLeaseId: 'x',
    });
    const before = await stage.it.item(name);
    expect(await toGrant(await stage.it.readyActor(), name, 'mine')).toMatchObject({ kind: 'completed' });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('released: a lock that was given back is granted at once', async () => {
    const name = stage.name();
    await stage.it.put({ name, format: leaseFormat, version: 7, lastLeaseId: 'x' });
    const outcome = await toGrant(await stage.it.readyActor(), name, 'mine');
    expect(outcome).toMatchObject({ kind: 'granted', grant: { token: above(7), adopted: false } });
  });

  it('I2 released or expired: a lease that still runs is not taken', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const expiresAt = Math.ceil(actor.locks.context.clock.now().latest) + 60_000;
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt,
    });
    expect(await toGrant(actor, name, 'mine')).toMatchObject({ kind: 'held', item: { leaseId: 'theirs' } });
    expect(await stage.it.item(name)).toMatchObject({ version: 7, leaseId: 'theirs', expiresAt });
  });

  it('expired: a lease that has run out by the taker’s rule is taken over', async () => {
    const name = stage.name();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt: longAgo,
    });
    const outcome = await toGrant(await stage.it.readyActor(), name, 'mine');
    expect(outcome).toMatchObject({
      kind: 'granted',
      grant: { token: above(7), item: { leaseId: 'theirs' } },
    });
  });

  it('I2 expired: a lease that ends within the skew is not taken yet, one that ended before it is', async () => {
    const name = stage.name();
    // A minute of skew, so that no time that passes in this test matters.
    const actor = await stage.it.readyActor({ skewMs: 60_000 });
    const ended = Math.floor(actor.locks.context.clock.now().earliest) - 30_000;
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt: ended,
    });
    expect(await toGrant(actor, name, 'mine')).toMatchObject({ kind: 'held' });
    const expiresAt = takeoverBefore(actor.locks.context) - 1;
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt,
    });
    expect(await toGrant(actor, name, 'mine')).toMatchObject({ kind: 'granted' });
  });

  it('freeByNow: a lock that was released before its time is not granted yet, and is as soon as that has passed', async () => {
    const name = stage.name();
    // A minute of skew, so that no time that passes in this test matters.
    const actor = await stage.it.readyActor({ skewMs: 60_000 });
    const free = { name, format: leaseFormat, version: 7, lastLeaseId: 'theirs' };
    const freeFrom = Math.floor(actor.locks.context.clock.now().earliest) - 30_000;
    await stage.it.put({ ...free, freeFrom });
    expect(await toGrant(actor, name, 'mine')).toMatchObject({ kind: 'held', item: { freeFrom } });
    expect(await stage.it.item(name)).toMatchObject({ version: 7, freeFrom });
    await stage.it.put({ ...free, freeFrom: takeoverBefore(actor.locks.context) - 1 });
    expect(await toGrant(actor, name, 'mine')).toMatchObject({ kind: 'granted' });
    expect(await stage.it.item(name)).not.toHaveProperty('freeFrom');
  });

  it('freeByNow: a refusal for the time costs one write, although its token lies ahead of this clock', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const ahead = Math.ceil(actor.locks.context.clock.now().latest) + 60_000;
    await stage.it.put({ name, format: leaseFormat, version: ahead, freeFrom: ahead });
    expect(await toGrant(actor, name, 'mine')).toMatchObject({ kind: 'held' });
    expect(actor.meter.writes).toBe(1);
  });

  it('expiredLongBefore: a taker with a lock delay leaves a lease that ran out for so much longer, and no other', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const lockDelayMs = 60_000;
    const ended = { name, format: leaseFormat, version: 7, leaseId: 'theirs', owner: 'them' };
    const expiresAt = takeoverBefore(actor.locks.context) - 30_000;
    await stage.it.put({ ...ended, expiresAt });
    expect(await toGrant(actor, name, 'mine', { lockDelayMs })).toMatchObject({ kind: 'held' });
    const whole = { ...ended, expiresAt: takeoverBefore(actor.locks.context) - lockDelayMs - 1 };
    await stage.it.put(whole);
    expect(await toGrant(actor, name, 'mine', { lockDelayMs })).toMatchObject({ kind: 'granted' });
    await stage.it.put({ ...ended, expiresAt });
    expect(await toGrant(actor, name, 'other')).toMatchObject({ kind: 'granted' });
    await requestRelease(actor.locks.context, { name, leaseId: 'other' });
    expect(await toGrant(actor, name, 'third', { lockDelayMs })).toMatchObject({ kind: 'granted' });
  });

  it('C09 notGivenBack: a delayed duplicate of an acquire does not take the lock that it gave back', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    expect(await toGrant(actor, name, 'mine')).toMatchObject({ kind: 'granted' });
    const lease = { name, leaseId: 'mine' };
    expect(await requestRelease(actor.locks.context, lease)).toMatchObject({ kind: 'done' });
    const before = await stage.it.item(name);
    expect(await toGrant(actor, name, 'mine')).toEqual({ kind: 'given-back' });
    expect(await stage.it.item(name)).toEqual(before);
    expect(await toGrant(actor, name, 'another')).toMatchObject({ kind: 'granted' });
  });

  it('I2 unrenewed: what was watched is taken over while it runs, as it was seen, and not as something else', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const first = await toGrant(actor, name, 'first');
    if (first.kind !== 'granted') throw new Error('not granted');
    const { token, expiresAt } = first.grant;
    const watched = (seenLeaseId: string, seenToken: number, seenExpiresAt: number) => ({
      seenLeaseId,
      aboveToken: token,
      change: { condition: isUnrenewed(seenToken, seenExpiresAt) },
    });
    for (const other of [
      watched('first', token, expiresAt - 1),
      watched('first', token, expiresAt + 1),
      watched('first', token - 1, expiresAt),
      watched('another', token, expiresAt),
    ])
      expect(await toGrant(actor, name, 'second', other)).toMatchObject({ kind: 'held' });
    const seen = watched('first', token, expiresAt);
    const outcome = await toGrant(actor, name, 'second', seen);
    expect(outcome).toMatchObject({
      kind: 'granted',
      grant: { token: above(token), item: { leaseId: 'first' } },
    });
    expect(await toGrant(actor, name, 'third', seen)).toMatchObject({
      kind: 'held',
      item: { leaseId: 'second' },
    });
  });

  it('the lease id that a superseder has seen is taken over, while it runs', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'first');
    const outcome = await toGrant(actor, name, 'second', { seenLeaseId: 'first' });
    expect(outcome).toMatchObject({ kind: 'granted', grant: { item: { leaseId: 'first' } } });
  });

  it('a superseder names the very lease it has seen: its delayed duplicate evicts no later one', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'first');
    await toGrant(actor, name, 'second', { seenLeaseId: 'first' });
    const late = await toGrant(actor, name, 'third', { seenLeaseId: 'first' });
    expect(late).toMatchObject({ kind: 'held', item: { leaseId: 'second' } });
    expect(await stage.it.item(name)).toMatchObject({ leaseId: 'second' });
  });

  it('a superseder takes over no item that has come to bear the lease id it has seen and is not ours', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await stage.it.put({ name, version: 7, leaseId: 'first', owner: 'somebody else', expiresAt: longAgo });
    const before = await stage.it.item(name);
    const late = toGrant(actor, name, 'second', { seenLeaseId: 'first' });
    await expect(late).rejects.toMatchObject({ name: 'UsageError' });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('C07 adoption: an item that carries this call’s own lease id is this call’s grant', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const first = await toGrant(actor, name, 'mine');
    const again = await toGrant(actor, name, 'mine');
    if (first.kind !== 'granted') throw new Error('not granted');
    const { token, expiresAt, acquiredAt } = first.grant;
    expect(again).toMatchObject({ kind: 'granted', grant: { token, expiresAt, acquiredAt, adopted: true } });
    expect(await stage.it.item(name)).toMatchObject({ version: token, expiresAt });
  });

  it('adoption, not a second grant: this call’s own lease that has run out keeps its token', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'mine',
      owner: 'me',
      expiresAt: longAgo,
    });
    const before = await stage.it.item(name);
    expect(await toGrant(actor, name, 'mine')).toMatchObject({
      kind: 'granted',
      grant: { token: 7, expiresAt: longAgo, adopted: true },
    });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('C11 a lock that has been dead for a day is taken at once, by a client that saw it for the first time', async () => {
    const name = stage.name();
    const { locks, meter } = stage.it.actor();
    await locks.context.table.ping();
    meter.reset();
    const expiresAt = Math.floor(locks.context.clock.now().earliest) - 86_400_000;
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt,
    });
    await using lease = await locks.acquire(name);
    expect(lease).toMatchObject({
      token: above(7),
      takenOverFrom: { owner: 'them', token: 7, leaseId: 'theirs' },
    });
    expect(meter.total).toBe(1);
  });

  it('C12 tryAcquire takes an expired lock', async () => {
    const name = stage.name();
    const { locks } = stage.it.actor();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt: longAgo,
    });
    await using lease = (await locks.tryAcquire(name))!;
    expect(lease.token).toBeGreaterThan(7);
  });

  it('C24 ttl is a number of seconds, apart from the expiry in milliseconds; both lie after the retention', async () => {
    const name = stage.name();
    const retentionMs = 86_400_000;
    const { locks } = stage.it.actor({ retentionMs });
    const lease = await locks.acquire(name);
    const held = (await stage.it.item(name))!;
    expect(held.expiresAt).toBeTypeOf('number');
    expect(held.ttl).toBe(Math.ceil((held.expiresAt! + retentionMs) / 1_000));
    await lease.renew();
    const renewed = (await stage.it.item(name))!;
    expect(renewed.ttl).toBe(Math.ceil((renewed.expiresAt! + retentionMs) / 1_000));
    await lease.release();
    const { ttl, expiresAt } = (await stage.it.item(name))!;
    expect(expiresAt).toBeUndefined();
    const { earliest, latest } = locks.context.clock.now();
    expect(ttl! * 1_000).toBeGreaterThan(earliest + retentionMs - 60_000);
    expect(ttl! * 1_000).toBeLessThan(latest + retentionMs + 60_000);
  });
});
