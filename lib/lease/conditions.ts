import { all, any, type Condition } from '../table/index.js';
import { leaseFormat } from './lease-item.js';

/*
 * The conditions of the protocol (section 4), each a named part.
 *
 *   store time ──────────┬───────────────────────────┬──────────────┬──────────────────────►
 *                     granted                    expiresAt   expiresAt + skew
 *   holder's view        │◄─── valid: now.latest < expiresAt ──►│ lost
 *   taker's view         │◄────────── held, refused ───────────►│◄─skew─►│ taken over
 */

/** The work under this name is not finished. */
const notCompleted: Condition = { text: 'attribute_not_exists(#completedAt)' };

/** The lock was released (or never held): nobody's lease stands in the item. */
const released: Condition = { text: 'attribute_not_exists(#leaseId)' };

/**
 * The holder crashed or was cut off, and its lease has ended by any front end's clock.
 * TTL plays no part: an expired item stays readable and writable for days.
 */
const expiredBefore = (takeoverBefore: number): Condition => ({
  text: '#expiresAt < :takeoverBefore',
  values: { ':takeoverBefore': takeoverBefore },
});

/**
 * The lease ran out so long ago as this taker wants it to have: what its holder left under way may come to rest first
 * (`lockDelayMs`). One that was released, broken or superseded is not meant.
 */
const expiredLongBefore = (expiredBefore: number): Condition => ({
  text: '#expiresAt < :expiredBefore',
  values: { ':expiredBefore': expiredBefore },
});

/**
 * The holder before released it sooner than its `minHoldMs` said, and the rest has passed by any front end's clock. A grant
 * takes `freeFrom` away: it stands in no item that carries a lease.
 */
const freeByNow = (takeoverBefore: number): Condition =>
  any(
    { text: 'attribute_not_exists(#freeFrom)' },
    { text: '#freeFrom < :takeoverBefore', values: { ':takeoverBefore': takeoverBefore } },
  );

/**
 * The lease in the item is not this very acquire's. An earlier attempt of it may have been granted and have ended by
 * now, or by the clock of another attempt: that grant is found and adopted. A second attempt that granted it anew
 * would raise its token behind the holder's back, who could then neither renew nor release.
 */
const notItsOwn = (leaseId: string): Condition => ({
  text: '#leaseId <> :leaseId',
  values: { ':leaseId': leaseId },
});

/**
 * The same logical owner comes back and names exactly the lease that it was shown. Naming the owner instead
 * would let a delayed duplicate of an old attempt evict the owner's current lease.
 */
const stillTheOneSeen = (seenLeaseId: string): Condition => ({
  text: '#leaseId = :seenLeaseId',
  values: { ':seenLeaseId': seenLeaseId },
});

/**
 * This very acquire was not granted and given back before, or broken. Its older duplicates lose by their token; what is
 * made up anew under its lease id, a second attempt of the call or of the lock service for it, does not.
 */
const notGivenBack = (leaseId: string): Condition =>
  any(
    { text: 'attribute_not_exists(#lastLeaseId)' },
    { text: '#lastLeaseId <> :leaseId', values: { ':leaseId': leaseId } },
  );

/** Nothing stands under the name: it is new, or TTL or somebody has deleted its item. */
const isNew: Condition = { text: 'attribute_not_exists(#name)' };

/** We wrote the item: other people's items are never touched. */
export const isOurs: Condition = { text: '#format = :format', values: { ':format': leaseFormat } };

/**
 * The token is above every one given under this name (section 2). An acquire that was computed before somebody else's
 * grant, and arrives after it, carries an older time: it takes no lock that nobody then holds.
 */
const tokenRises = (token: number): Condition => ({
  text: '#version < :token',
  values: { ':token': token },
});

/**
 * Who may be granted the lock: the acquire condition.
 *
 * @param token of the grant
 * @param takeoverBefore store time in ms: a lease that ended before this can't be valid for its holder
 * @param seenLeaseId only in the second write of a supersede
 * @param lockDelayMs how much longer ago a lease must have run out, in milliseconds
 */
export function mayBeGranted(
  leaseId: string,
  token: number,
  takeoverBefore: number,
  seenLeaseId?: string,
  lockDelayMs = 0,
): Condition {
  const expired =
    lockDelayMs === 0 ? expiredBefore(takeoverBefore) : expiredLongBefore(takeoverBefore - lockDelayMs);
  return all(
    notCompleted,
    any(
      released,
      all(expired, notItsOwn(leaseId)),
      seenLeaseId === undefined ? undefined : stillTheOneSeen(seenLeaseId),
    ),
    freeByNow(takeoverBefore),
    notGivenBack(leaseId),
    any(isNew, all(isOurs, tokenRises(token))),
  );
}

/**
 * The lease seen is still the current one, under the token that it had: whoever goes on with a lease that was handed
 * over gets nothing that others have had meanwhile, free or not.
 */
export function isExactly(seenLeaseId: string, seenToken: number): Condition {
  return all(stillTheOneSeen(seenLeaseId), {
    text: '#version = :seenToken',
    values: { ':seenToken': seenToken },
  });
}

/** Whose token may be lifted: an item of ours that is below it, and under which no lease runs. */
export function mayBeRaised(token: number, takeoverBefore: number): Condition {
  return all(isOurs, tokenRises(token), any(released, expiredBefore(takeoverBefore)));
}

/** The lease is the current one: the identity test in every later write (invariant I4). */
export function isCurrent(leaseId: string): Condition {
  return { text: '#leaseId = :leaseId', values: { ':leaseId': leaseId } };
}

/** The lease has ended, and nobody has had the lock since. */
export function wasTheLast(leaseId: string): Condition {
  return all(released, { text: '#lastLeaseId = :leaseId', values: { ':leaseId': leaseId } });
}

/** Somebody holds the lock, whoever: for who was shown a lease by its token alone. */
export const isHeld: Condition = { text: 'attribute_exists(#leaseId)' };

/**
 * The token is still the lease's own, too. A late duplicate of its acquire may have revived the lease id after others
 * had the lock: without this a late duplicate of a renewal would then wind their checkpoint back (invariant I5).
 */
export function hasToken(token: number): Condition {
  return { text: '#version = :token', values: { ':token': token } };
}

/**
 * The renewal would lengthen the lease. A delayed duplicate of an older renewal would shorten it, or wind a
 * checkpoint back (invariant I5).
 */
export function lengthens(expiresAt: number): Condition {
  return { text: '#expiresAt < :newExpiresAt', values: { ':newExpiresAt': expiresAt } };
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
