import { expect } from 'vitest';
import {
  type GrantOutcome,
  requestGrant,
  requestReopening,
  type TableContext,
  takeoverBefore,
} from '../../../lib/lease/index.js';
import type { Item } from '../simulated-table.js';
import { isOurs, isSound } from './any-item.js';

/** Where items lie. */
export interface Place {
  readonly context: TableContext;
  put(item: Item): Promise<unknown>;
  get(name: string): Promise<Item | undefined>;
}

const request = { leaseId: 'mine', owner: 'me', leaseMs: 3_000 };

/** No token lies above this. */
const lastToken = 2 ** 53 - 2;

/**
 * What the protocol's sections 2 and 4 make of an acquire; `refused`: nothing, in plain words. An item of ours that
 * somebody has changed by hand is granted on where all that its grant rests on holds; otherwise it is left alone, too.
 */
function expectedOf(item: Item, firstToken: number, before: number, seenLeaseId: string | undefined): string {
  if (!isOurs(item)) return 'refused';
  const { version, leaseId, expiresAt, completedAt, lastLeaseId, freeFrom } = item;
  const isDue = freeFrom === undefined || (freeFrom.N !== undefined && Number(freeFrom.N) < before);
  const hasEnded = expiresAt?.N !== undefined && Number(expiresAt.N) < before && leaseId?.S !== 'mine';
  const isSeen = seenLeaseId !== undefined && leaseId?.S === seenLeaseId;
  const isGivenBack = lastLeaseId?.S === 'mine';
  const isOpen = completedAt === undefined && !isGivenBack && isDue;
  const isFree = isOpen && (leaseId === undefined || hasEnded || isSeen);
  const token = version?.N === undefined ? Number.NaN : Number(version.N);
  if (isFree && token < firstToken) return 'granted';
  if (!isSound(item)) return 'refused';
  if (leaseId?.S === 'mine') return 'adopted';
  if (completedAt !== undefined) return 'completed';
  if (isGivenBack) return 'given-back';
  if (isFree) return token === lastToken ? 'refused' : 'granted';
  return 'held';
}

async function toOutcome(asked: Promise<GrantOutcome>): Promise<{ kind: string; outcome?: GrantOutcome }> {
  try {
    const outcome = await asked;
    const isAdopted = outcome.kind === 'granted' && outcome.grant.adopted;
    return { kind: isAdopted ? 'adopted' : outcome.kind, outcome };
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'UsageError' || !/was not written by Leasehold|No token is left/.test(message)) throw error;
    return { kind: 'refused' };
  }
}

/** One case: the item is put, and an acquire and a reopening come upon it. */
export async function checkItem(place: Place, item: Item, seenLeaseId: string | undefined): Promise<void> {
  const name = item.name!.S!;
  await place.put(item);
  const before = await place.get(name);
  const firstToken = Math.ceil(place.context.clock.now().earliest);
  const expected = expectedOf(item, firstToken, takeoverBefore(place.context), seenLeaseId);
  const { kind, outcome } = await toOutcome(requestGrant(place.context, { ...request, name, seenLeaseId }));
  const after = (await place.get(name))!;
  if (kind !== expected) throw new Error(`${kind}, where ${expected} is right`);
  if (expected !== 'granted') expect(after).toEqual(before);
  if (outcome?.kind === 'granted') {
    const { token } = outcome.grant;
    const version = Number(before!.version!.N);
    if (expected === 'adopted' && token !== version) throw new Error(`the token is ${token}`);
    if (expected === 'granted' && token < Math.max(firstToken, version + 1))
      throw new Error(`the token is ${token}`);
    if (Number(after.version!.N) !== token || after.leaseId?.S !== 'mine')
      throw new Error('not in the table');
    if (Number(outcome.grant.item?.version) !== version) throw new Error('the item before is not told');
    const kept = ({ checkpoint, payload, LeaseId }: Item) => [checkpoint, payload, LeaseId];
    expect(kept(after)).toEqual(kept(before!));
    return;
  }
  const isReopened = await requestReopening(place.context, name).catch((error: Error) => error.name);
  // A completion that goes with a lease is none of ours.
  const isTakenBack = isOurs(item) && item.completedAt !== undefined && item.leaseId === undefined;
  if (isTakenBack) {
    if (isReopened !== true) throw new Error(`reopening answers ${isReopened}`);
    expect(await place.get(name)).not.toHaveProperty('completedAt');
    return;
  }
  if (isSound(item) === (isReopened === 'UsageError')) throw new Error(`reopening answers ${isReopened}`);
  expect(await place.get(name)).toEqual(before);
}
