import { describe, expect, it } from 'vitest';
import {
  requestCompletion,
  requestRelease,
  requestRenewal,
  requestReopening,
} from '../../../lib/lease/index.js';
import { toGrant } from '../../support/grants.js';
import type { Actor } from '../../support/stage.js';
import { useStage } from '../../support/use-stage.js';

const distant = 9_000_000_000_000;

describe('the holder’s writes, on a real engine', () => {
  const stage = useStage();

  /** A lease that ran out and was taken over: its holder still has its id. */
  async function takenOver(): Promise<{
    actor: Actor;
    name: string;
    old: { name: string; leaseId: string };
  }> {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'old');
    await stage.it.expire(name);
    expect(await toGrant(actor, name, 'new')).toMatchObject({ kind: 'granted' });
    return { actor, name, old: { name, leaseId: 'old' } };
  }

  it('I4 isCurrent: a renewal of a lease that is no longer current changes nothing', async () => {
    const { actor, name, old } = await takenOver();
    const before = await stage.it.item(name);
    const outcome = await requestRenewal(actor.locks.context, old, distant, { set: { checkpoint: 'stale' } });
    expect(outcome).toEqual({ kind: 'lost', reason: 'taken-over' });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('I4 isCurrent: a release of a lease that is no longer current changes nothing', async () => {
    const { actor, name, old } = await takenOver();
    const before = await stage.it.item(name);
    const outcome = await requestRelease(actor.locks.context, old, { set: { checkpoint: 'stale' } });
    expect(outcome).toEqual({ kind: 'lost', reason: 'taken-over' });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('C41 isCurrent: a completion by a late worker does not overwrite the newer holder’s result', async () => {
    const { actor, name, old } = await takenOver();
    const before = await stage.it.item(name);
    const lost = { kind: 'lost', reason: 'taken-over' };
    expect(await requestCompletion(actor.locks.context, old, 'stale')).toEqual(lost);
    expect(await stage.it.item(name)).toEqual(before);
    const current = { name, leaseId: 'new' };
    expect(await requestCompletion(actor.locks.context, current, 'right')).toMatchObject({ kind: 'done' });
    expect(await requestCompletion(actor.locks.context, old, 'stale')).toEqual(lost);
    expect(await stage.it.item(name)).toMatchObject({ result: 'right', lastLeaseId: 'new' });
  });

  it('I4 isCurrent: a break names one lease and leaves the one that came after it alone', async () => {
    const { actor, name, old } = await takenOver();
    const before = await stage.it.item(name);
    expect(await actor.locks.break(name, old.leaseId)).toBe(false);
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('I4 I5 hasToken: an id that a late duplicate of its acquire has revived is not the lease of before', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const { context } = actor.locks;
    const first = await toGrant(actor, name, 'mine');
    await stage.it.expire(name);
    await toGrant(actor, name, 'another');
    await requestRelease(context, { name, leaseId: 'another' }, { set: { checkpoint: 'newer' } });
    // The duplicate arrives: nobody holds the lock, and its id is not the one that was given back last.
    await toGrant(actor, name, 'mine');
    const before = await stage.it.item(name);
    const token = first.kind === 'granted' ? first.grant.token : 0;
    const old = { name, leaseId: 'mine', token };
    const stale = { set: { checkpoint: 'older' } };
    const lost = { kind: 'lost', reason: 'taken-over' };
    expect(await requestRenewal(context, old, distant, stale)).toEqual(lost);
    expect(await requestRelease(context, old, stale)).toEqual(lost);
    expect(await requestCompletion(context, old, 'older')).toEqual(lost);
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('I5 lengthens: a delayed duplicate of a renewal neither shortens the lease nor winds a checkpoint back', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'mine');
    const lease = { name, leaseId: 'mine' };
    await requestRenewal(actor.locks.context, lease, distant + 1, { set: { checkpoint: 1 } });
    await requestRenewal(actor.locks.context, lease, distant + 2, { set: { checkpoint: 2 } });
    const before = await stage.it.item(name);
    await requestRenewal(actor.locks.context, lease, distant + 1, { set: { checkpoint: 1 } });
    expect(await stage.it.item(name)).toEqual(before);
    expect(before).toMatchObject({ expiresAt: distant + 2, checkpoint: 2, renewals: 2 });
  });

  it('C07 a renewal that finds its own expiry is the success of its earlier attempt', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'mine');
    const renew = () => requestRenewal(actor.locks.context, { name, leaseId: 'mine' }, distant);
    expect(await renew()).toMatchObject({ kind: 'done' });
    expect(await renew()).toMatchObject({ kind: 'done' });
    expect(await stage.it.item(name)).toMatchObject({ renewals: 1 });
  });

  it('C07 a release that finds its own mark is the success of its earlier attempt', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'mine');
    const lease = { name, leaseId: 'mine', wantsBefore: true };
    const release = () => requestRelease(actor.locks.context, lease);
    expect(await release()).toMatchObject({ kind: 'done', before: { leaseId: 'mine' } });
    expect(await release()).toEqual({ kind: 'done', already: true });
  });

  it('C07 a completion that finds its own mark is the success of its earlier attempt', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'mine');
    const lease = { name, leaseId: 'mine', wantsBefore: true };
    const complete = () => requestCompletion(actor.locks.context, lease, 'r');
    expect(await complete()).toMatchObject({ kind: 'done', before: { leaseId: 'mine' } });
    expect(await complete()).toEqual({ kind: 'done' });
    expect(await stage.it.item(name)).toMatchObject({ result: 'r' });
  });

  it('I4 a release is no completion: completing after it is a loss', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'mine');
    const lease = { name, leaseId: 'mine' };
    await requestRelease(actor.locks.context, lease);
    const outcome = await requestCompletion(actor.locks.context, lease, 'late');
    expect(outcome).toEqual({ kind: 'lost', reason: 'broken' });
    expect(await stage.it.item(name)).not.toHaveProperty('completedAt');
  });

  it('I1 release and reopening keep the token and the checkpoint', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    await toGrant(actor, name, 'mine');
    const lease = { name, leaseId: 'mine' };
    const { version } = (await stage.it.item(name))!;
    await requestRenewal(actor.locks.context, lease, distant, { set: { checkpoint: { at: 9 } } });
    await requestCompletion(actor.locks.context, lease, 'r');
    expect(await requestReopening(actor.locks.context, name)).toBe(true);
    const item = (await stage.it.item(name))!;
    expect(item).toMatchObject({ version, checkpoint: { at: 9 }, lastLeaseId: 'mine' });
    expect(Object.keys(item).sort()).toEqual([
      'checkpoint',
      'format',
      'lastLeaseId',
      'name',
      'ttl',
      'version',
    ]);
  });
});
