import { describe, expect, it } from 'vitest';
import { leaseFormat } from '../../../lib/lease/index.js';
import { engines } from '../../support/engines.js';
import { toGrant } from '../../support/grants.js';
import { useStage } from '../../support/use-stage.js';

// dynalite refuses without the item, as DynamoDB did before 2023 and some gateways still do.
describe.skipIf(!engines.includes('dynalite'))('refusals by an engine without ALL_OLD (dynalite)', () => {
  const stage = useStage({ engine: 'dynalite' });

  it('each cost one strongly consistent read, and are told apart as well as with the item', async () => {
    const actor = await stage.it.readyActor();
    const longAgo = 1_000;
    await stage.it.put({
      name: 'adopted',
      format: leaseFormat,
      version: 7,
      leaseId: 'mine',
      owner: 'me',
      expiresAt: 9e12,
    });
    await stage.it.put({
      name: 'held',
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt: 9e12,
    });
    await stage.it.put({ name: 'completed', format: leaseFormat, version: 7, completedAt: longAgo });
    await stage.it.put({ name: 'given-back', format: leaseFormat, version: 7, lastLeaseId: 'mine' });
    const kinds: Record<string, string> = {};
    for (const name of ['adopted', 'held', 'completed', 'given-back']) {
      actor.meter.reset();
      kinds[name] = (await toGrant(actor, name, 'mine')).kind;
      expect(actor.meter.operations).toEqual({ UpdateItem: 1, GetItem: 1 });
      expect(actor.meter.log[1]?.body.ConsistentRead).toBe(true);
    }
    expect(kinds).toEqual({
      adopted: 'granted',
      held: 'held',
      completed: 'completed',
      'given-back': 'given-back',
    });
  });

  it('C09 that can’t be read after a retry leave the grant uncertain: it is given back', async () => {
    const { locks, faults } = await stage.it.readyActor();
    const name = stage.name();
    faults.on('UpdateItem').once().dropAnswer();
    faults.on('GetItem').times(2).throttle();
    await expect(locks.acquire(name)).rejects.toMatchObject({
      name: 'StoreError',
      retryable: true,
      mayHaveApplied: true,
    });
    await expect.poll(() => stage.it.item(name)).not.toHaveProperty('leaseId');
  });

  it('C09 that can’t be read without a retry change nothing, and nothing is given back', async () => {
    const { locks, faults, meter } = await stage.it.readyActor();
    const name = stage.name();
    await stage.it.put({
      name,
      format: leaseFormat,
      version: 7,
      leaseId: 'theirs',
      owner: 'them',
      expiresAt: 9e12,
    });
    faults.on('GetItem').times(2).throttle();
    await expect(locks.acquire(name)).rejects.toMatchObject({ name: 'StoreError', mayHaveApplied: false });
    expect(meter.writes).toBe(1);
  });
});
