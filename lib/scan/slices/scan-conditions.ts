import type { Lease } from '../../lease/index.js';
import { type Runtime, retry } from '../../runtime/index.js';
import { all, any, type Condition } from '../../table/index.js';

/*
 * What a slice's writes demand besides the lease itself (scan page, "A worker is a seat"). Each part names the
 * moment that it covers; values have placeholders of their own, apart from the lease's.
 */

/** At so many grants without progress a slice is quarantined: nobody acquires it any more. */
export const maxAttempts = 4;

/** TTL removed the item since it was read: an acquire or a split would make a new one, open at both ends. */
const isSlice: Condition = { text: 'attribute_exists(#progress)' };

/** A page kills every worker that touches it: after four grants without progress nobody is sent there again. */
const mayBeTried: Condition = any(
  { text: 'attribute_not_exists(#attempts)' },
  { text: '#attempts < :scanMostAttempts', values: { ':scanMostAttempts': maxAttempts } },
);

/**
 * A duplicate of this seat was started later and holds the slice by now: the older instance, perhaps one that
 * woke up, does not take its lease away.
 *
 * @param untilMs a lease granted later is not an earlier instance's, store time
 */
const heldSinceBefore = (untilMs: number): Condition =>
  any(
    { text: 'attribute_not_exists(#acquiredAt)' },
    { text: '#acquiredAt <= :scanOwnUntil', values: { ':scanOwnUntil': untilMs } },
  );

/**
 * A thief lowered `hi` between our listing and our claim: the keys above it belong to the child. Without this
 * test two live holders act on one key in half of all schedules.
 */
const hiIs = (hi: string | undefined): Condition =>
  hi === undefined
    ? { text: 'attribute_not_exists(#hi)' }
    : { text: '#hi = :scanHi', values: { ':scanHi': hi } };

/** What a claim writes to `claimed`, and what the holder knows to stand there. */
export interface ClaimedKeys {
  readonly next: string;
  readonly known: string | undefined;
}

/** `claimed` only grows, also over takeovers: a thief cuts above it, so it must never have been higher. */
const claimedStaysBelow = ({ next, known }: ClaimedKeys): Condition =>
  any(
    { text: 'attribute_not_exists(#claimed)' },
    { text: '#claimed <= :scanClaimed', values: { ':scanClaimed': next } },
    // The holder has compared it in code: an engine that orders strings by UTF-16 must not refuse it.
    known === undefined
      ? undefined
      : { text: '#claimed = :scanClaimedKnown', values: { ':scanClaimedKnown': known } },
  );

/** A split is written down but its child may not exist: the parent's completion would hide the gap. */
const noChildPending: Condition = { text: 'attribute_not_exists(#child)' };

/** The work is over: nothing is left to give away. */
const notCompleted: Condition = { text: 'attribute_not_exists(#completedAt)' };

/** Up to there a holder may have acted: those keys stay with it. */
const claimedLiesBelow = (cut: string): Condition =>
  any(
    { text: 'attribute_not_exists(#claimed)' },
    { text: '#claimed < :scanCut', values: { ':scanCut': cut } },
  );

/** This very child is the pending one: a later split's must not be wiped out by a late helper. */
export const childIs = (id: string): Condition => ({
  text: '#child.#id = :scanChildId',
  values: { ':scanChildId': id },
});

/**
 * What an acquire demands.
 *
 * @param ownUntilMs only when the seat takes over its own earlier lease: when such a one was granted at the latest
 */
export function takeable(ownUntilMs?: number): Condition {
  return all(isSlice, mayBeTried, ownUntilMs === undefined ? undefined : heldSinceBefore(ownUntilMs));
}

/** What a claim demands. */
export function claimable(hi: string | undefined, claimed: ClaimedKeys): Condition {
  return all(hiIs(hi), claimedStaysBelow(claimed));
}

/** What a completion demands. */
export function completable(hi: string | undefined): Condition {
  return all(hiIs(hi), noChildPending);
}

/**
 * What a split demands.
 *
 * @param hi as it was read: the child begins at the cut and ends there
 */
export function splittable(hi: string | undefined, cut: string): Condition {
  return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);
}

/** In milliseconds. */
const spacing = { firstPauseMs: 50, maxPauseMs: 1_000 };

/**
 * Repeats a holder's write while the store gives no answer, until the lease ends. Each repeat asks for the same
 * values, so one that was applied without an answer does no harm.
 *
 * @throws LockLostError when the lease is over; what does not pass by itself
 */
export function persistently<T>(runtime: Runtime, lease: Lease, write: () => Promise<T>): Promise<T> {
  const mayPass = (error: unknown) => {
    if (!isPassing(error)) return false;
    lease.throwIfLost();
    return true;
  };
  // The lease's signal ends the pause, with the loss as its reason.
  return retry(runtime, { ...spacing, mayPass, signal: lease.signal }, write);
}

/** Whether the same request may work later: throttling, 5xx, network. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'StoreError' &&
    (error as { retryable?: boolean }).retryable === true
  );
}
