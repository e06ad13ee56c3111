import { describe, expect, it } from 'vitest';
import { type LeaseItem, leaseFormat, requestGrant } from '../../../lib/lease/index.js';
import { type RaisedTokens, raiseTokens } from '../../../lib/table/raise-tokens.js';
import { simulatedNow, simulatedTable } from '../../support/simulated-table.js';

const format = leaseFormat;
/** The latest that it can be by any front end. */
const raisedTo = simulatedNow + 1_000 + 500;

async function restored(locks = 40) {
  const { context } = simulatedTable();
  const names = Array.from({ length: locks }, (_, i) => `lock-${i}`);
  for (const name of names)
    await context.table.create({ name, format, version: 7, lastLeaseId: 'x', ttl: 9 });
  const item = async (name: string) => (await context.table.get(name)) as LeaseItem;
  return { context, names, item };
}

describe('D04 tokens of a table that was restored', () => {
  it('are lifted above any that can have been given; nothing else changes', async () => {
    const { context, names, item } = await restored();
    const before = await item('lock-3');
    expect(await raiseTokens({ context })).toEqual({ scanned: 40, raised: 40, held: 0, passedOver: 0 });
    for (const name of names) expect((await item(name)).version).toBe(raisedTo);
    expect(await item('lock-3')).toEqual({ ...before, version: raisedTo });
    const grant = await requestGrant(context, {
      name: 'lock-3',
      leaseId: 'mine',
      owner: 'o',
      leaseMs: 3_000,
    });
    expect(grant).toMatchObject({ kind: 'granted', grant: { token: raisedTo + 1 } });
  });

  it('are never lowered, and a second run finds nothing to do', async () => {
    const { context, item } = await restored();
    await context.table.create({ name: 'ahead', format, version: raisedTo + 5 });
    await raiseTokens({ context });
    expect((await item('ahead')).version).toBe(raisedTo + 5);
    expect(await raiseTokens({ context })).toEqual({ scanned: 41, raised: 0, held: 0, passedOver: 41 });
  });

  it('are left alone where a lease runs, whose holder could not renew any more, and lifted where it has run out', async () => {
    const { context, item } = await restored(0);
    const lease = { format, version: 7, leaseId: 'x', owner: 'o' };
    await context.table.create({ ...lease, name: 'running', expiresAt: simulatedNow + 60_000 });
    await context.table.create({ ...lease, name: 'over', expiresAt: simulatedNow - 60_000 });
    expect(await raiseTokens({ context })).toMatchObject({ raised: 1, held: 1, passedOver: 0 });
    expect((await item('running')).version).toBe(7);
    expect((await item('over')).version).toBe(raisedTo);
  });

  it('are not those of what somebody else wrote', async () => {
    const { context, item } = await restored(0);
    await context.table.create({ name: 'theirs', version: 7 });
    expect(await raiseTokens({ context })).toMatchObject({ raised: 0, passedOver: 1 });
    expect(await item('theirs')).toEqual({ name: 'theirs', version: 7 });
  });

  it('go on after the place where an earlier run was interrupted', async () => {
    const { context, names, item } = await restored();
    const controller = new AbortController();
    let place: string | undefined;
    let first: RaisedTokens | undefined;
    const run = raiseTokens({
      context,
      signal: controller.signal,
      onPage: (counts, after) => {
        [first, place] = [counts, after];
        controller.abort(new Error('enough'));
      },
    });
    // The whole table may have been one page.
    await run.catch((error) => expect(error.message).toBe('enough'));
    const rest = await raiseTokens({ context, ...(place !== undefined && { after: place }) });
    expect(first!.raised + rest.raised).toBe(40);
    expect(first!.scanned + rest.scanned).toBe(40);
    for (const name of names) expect((await item(name)).version).toBe(raisedTo);
  });
});
