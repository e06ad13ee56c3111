import { all, any, type Condition } from '../table/index.js';
import * as text from './conditions.js';
import { leaseFormat } from './lease-item.js';

/* The conditions of what a plain lock does not ask for, with their values. */

const released: Condition = { text: text.released };

/** We wrote the item. */
export const isOurs: Condition = { text: text.isOurs, values: { ':format': leaseFormat } };

/** The lease is the current one. */
function isCurrent(leaseId: string): Condition {
  return { text: text.isCurrent, values: { ':leaseId': leaseId } };
}

/** The token is the current lease's. */
function hasToken(token: number): Condition {
  return { text: text.hasToken, values: { ':token': token } };
}

/** The lease has ended, and nobody has had the lock since. */
export function wasTheLast(leaseId: string): Condition {
  return all(released, { text: '#lastLeaseId = :leaseId', values: { ':leaseId': leaseId } });
}

/** Somebody holds the lock, whoever: for who was shown a lease by its token alone. */
const isHeld: Condition = { text: 'attribute_exists(#leaseId)' };

/** The lease of ours that somebody was shown, by its id, by its token, or by both. */
export function isSeen(leaseId: string | undefined, token: number | undefined): Condition {
  return all(
    leaseId === undefined ? isHeld : isCurrent(leaseId),
    token === undefined ? undefined : hasToken(token),
    isOurs,
  );
}

/**
 * The lease seen is still the current one, under the token that it had: whoever goes on with a lease that was handed
 * over gets nothing that others have had meanwhile, free or not.
 */
export function isExactly(seenLeaseId: string, seenToken: number): Condition {
  return {
    text: `${text.stillTheOneSeen} AND #version = :seenToken`,
    values: { ':seenLeaseId': seenLeaseId, ':seenToken': seenToken },
  };
}

/**
 * The lease seen is as it was: a waiter has watched it stand so for its length, by clocks of its own. The end of a grant, which
 * its token tells, only rises: so nothing has renewed it since, and its holder asked for it longer ago than it may believe in it.
 */
export function isUnrenewed(seenToken: number, seenExpiresAt: number): Condition {
  return {
    text: '#version = :seenToken AND #expiresAt = :seenExpiresAt',
    values: { ':seenToken': seenToken, ':seenExpiresAt': seenExpiresAt },
  };
}

/** Whose token may be lifted: an item of ours that is below it, and under which no lease runs. */
export function mayBeRaised(token: number, takeoverBefore: number): Condition {
  const expired = { text: text.expiredBefore, values: { ':takeoverBefore': takeoverBefore } };
  return all(isOurs, { text: text.tokenRises, values: { ':token': token } }, any(released, expired));
}

/**
 * There is the completion of ours that was seen, to take back. Whoever completes gives the lease back. A request that comes
 * twice, or late, must not take back a completion that was made after it.
 *
 * @param completedBy the lease id that it was made with, if that was seen
 * @param completedAt of the completion that was seen. What is no time was written by hand: any such is taken back
 */
export function isCompleted(completedAt: unknown, completedBy?: string): Condition {
  if (!Number.isSafeInteger(completedAt)) {
    return all({ text: 'attribute_exists(#completedAt)' }, released, isOurs);
  }
  const isTheSeen = { text: '#completedAt = :seenCompletion', values: { ':seenCompletion': completedAt } };
  // The clock's interval narrows: two completions may be given the same time.
  const isItsHolders =
    completedBy === undefined
      ? undefined
      : { text: '#lastLeaseId = :completedBy', values: { ':completedBy': completedBy } };
  return all(isTheSeen, isItsHolders, released, isOurs);
}
