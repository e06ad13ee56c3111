import { allOf, anyOf } from '../table/form.js';

/*
 * The conditions of the protocol (section 4), each a named part. They are texts: values stand in them by their placeholders.
 *
 *   store time ──────────┬───────────────────────────┬──────────────┬──────────────────────►
 *                     granted                    expiresAt   expiresAt + skew
 *   holder's view        │◄─── valid: now.latest < expiresAt ──►│ lost
 *   taker's view         │◄────────── held, refused ───────────►│◄─skew─►│ taken over
 *
 *   holder's clocks      asked ◄─── valid for less than leaseMs ───►│ lost
 *   a waiter's clocks        seen ◄──── as it was, for leaseMs ────►│ taken over (`isUnrenewed`)
 */

/** The work under this name is not finished. */
const notCompleted = 'attribute_not_exists(#completedAt)';

/** The lock was released (or never held): nobody's lease stands in the item. */
export const released = 'attribute_not_exists(#leaseId)';

/**
 * The holder crashed or was cut off, and its lease has ended by any front end's clock.
 * TTL plays no part: an expired item stays readable and writable for days.
 */
export const expiredBefore = '#expiresAt < :takeoverBefore';

/**
 * The lease ran out so long ago as this taker wants it to have: what its holder left under way may come to rest first
 * (`lockDelayMs`). One that was released, broken or superseded is not meant.
 */
const expiredLongBefore = '#expiresAt < :expiredBefore';

/**
 * The holder before released it sooner than its `minHoldMs` said, and the rest has passed by any front end's clock. A grant
 * takes `freeFrom` away: it stands in no item that carries a lease.
 */
const freeByNow = anyOf('attribute_not_exists(#freeFrom)', '#freeFrom < :takeoverBefore');

/**
 * The lease in the item is not this very acquire's. An earlier attempt of it may have been granted and have ended by
 * now, or by the clock of another attempt: that grant is found and adopted. A second attempt that granted it anew
 * would raise its token behind the holder's back, who could then neither renew nor release.
 */
const notItsOwn = '#leaseId <> :leaseId';

/**
 * The same logical owner comes back and names exactly the lease that it was shown. Naming the owner instead
 * would let a delayed duplicate of an old attempt evict the owner's current lease.
 */
export const stillTheOneSeen = '#leaseId = :seenLeaseId';

/**
 * This very acquire was not granted and given back before, or broken. Its older duplicates lose by their token; what is
 * made up anew under its lease id, a second attempt of the call or of the lock service for it, does not.
 */
const notGivenBack = anyOf('attribute_not_exists(#lastLeaseId)', '#lastLeaseId <> :leaseId');

/** Nothing stands under the name: it is new, or TTL or somebody has deleted its item. */
const isNew = 'attribute_not_exists(#name)';

/** We wrote the item: other people's items are never touched. */
export const isOurs = '#format = :format';

/**
 * The token is above every one given under this name (section 2). An acquire that was computed before somebody else's
 * grant, and arrives after it, carries an older time: it takes no lock that nobody then holds.
 */
export const tokenRises = '#version < :token';

/**
 * Who may be granted the lock: the acquire condition. `:takeoverBefore` is store time in milliseconds: a lease that ended
 * before this can't be valid for its holder.
 *
 * @param supersedes whether it is the second write of a supersede
 * @param delays whether a lease must have run out for longer: before `:expiredBefore`
 */
export function mayBeGranted(supersedes: boolean, delays: boolean): string {
  const expired = delays ? expiredLongBefore : expiredBefore;
  return allOf(
    notCompleted,
    anyOf(released, allOf(expired, notItsOwn), ...(supersedes ? [stillTheOneSeen] : [])),
    freeByNow,
    notGivenBack,
    anyOf(isNew, allOf(isOurs, tokenRises)),
  );
}

/** The lease is the current one: the identity test in every later write (invariant I4). */
export const isCurrent = '#leaseId = :leaseId';

/**
 * The token is still the lease's own, too. A late duplicate of its acquire may have revived the lease id after others
 * had the lock: without this a late duplicate of a renewal would then wind their checkpoint back (invariant I5).
 */
export const hasToken = '#version = :token';

/**
 * The renewal would lengthen the lease. A delayed duplicate of an older renewal would shorten it, or wind a
 * checkpoint back (invariant I5).
 */
export const lengthens = '#expiresAt < :newExpiresAt';
