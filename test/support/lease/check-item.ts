import { expect } from 'vitest';
import {
  type GrantOutcome,
  requestGrant,
  requestReopening,
  type TableContext,
  takeoverBefore,
} from '../../../lib/lease/index.js';
import type { Item } from '../simulated-table.js';
import { isOurs } from './any-item.js';

/** Where items lie. */
export interface Place {
  readonly context: TableContext;
  put(item: Item): Promise<unknown>;
  get(name: string): Promise<Item | undefined>;
}

const request = { leaseId: 'mine', owner: 'me', leaseMs: 3_000 };

/** What the protocol's section 4 makes of an acquire; `foreign`: nothing, in plain words. */
function expectedOf(item: Item, before: number, seenLeaseId: string | undefined): string {
  if (!isOurs(item)) return 'foreign';
  const { leaseId, expiresAt, completedAt, lastLeaseId } = item;
  if (leaseId?.S === 'mine') return 'adopted';
  const isFree = leaseId === undefined || Number(expiresAt!.N) < before || leaseId.S === seenLeaseId;
  if (completedAt === undefined && isFree && lastLeaseId?.S !== 'mine') return 'granted';
  if (completedAt !== undefined) return 'completed';
  return lastLeaseId?.S === 'mine' ? 'given-back' : 'held';
}

async function toOutcome(asked: Promise<GrantOutcome>): Promise<{ kind: string; outcome?: GrantOutcome }> {
  try {
    const outcome = await asked;
    const isAdopted = outcome.kind === 'granted' && outcome.grant.adopted;
    return { kind: isAdopted ? 'adopted' : outcome.kind, outcome };
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'UsageError' || !message.includes('was not written by Leasehold')) throw error;
    return { kind: 'foreign' };
  }
}

/** One case: the item is put, and an acquire and a reopening come upon it. */
export async function checkItem(place: Place, item: Item, seenLeaseId: string | undefined): Promise<void> {
  const name = item.name!.S!;
  await place.put(item);
  const before = await place.get(name);
  const expected = expectedOf(item, takeoverBefore(place.context), seenLeaseId);
  const { kind, outcome } = await toOutcome(requestGrant(place.context, { ...request, name, seenLeaseId }));
  const after = (await place.get(name))!;
  if (kind !== expected) throw new Error(`${kind}, where ${expected} is right`);
  if (expected !== 'granted') expect(after).toEqual(before);
  if (outcome?.kind === 'granted') {
    const { token, item: found } = outcome.grant;
    const version = Number(before!.version!.N);
    if (token !== (expected === 'granted' ? version + 1 : version)) throw new Error(`the token is ${token}`);
    if (Number(after.version!.N) !== token || after.leaseId?.S !== 'mine')
      throw new Error('not in the table');
    if (found?.version !== version) throw new Error('the item before the grant is not told');
    const kept = ({ checkpoint, payload, LeaseId }: Item) => [checkpoint, payload, LeaseId];
    expect(kept(after)).toEqual(kept(before!));
    return;
  }
  const isReopened = await requestReopening(place.context, name).catch((error: Error) => error.name);
  const isForeign = expected === 'foreign';
  if (isForeign !== (isReopened === 'UsageError')) throw new Error(`reopening answers ${isReopened}`);
  // A completion that goes with a lease is none of ours.
  const isToStay = isForeign || item.leaseId !== undefined;
  if (isToStay) expect(await place.get(name)).toEqual(before);
  else expect(await place.get(name)).not.toHaveProperty('completedAt');
}
