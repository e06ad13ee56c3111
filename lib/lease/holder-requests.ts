import type { LossReason } from '../errors/index.js';
import { allOf, type FormParts, formsBy, type ItemChange } from '../table/form.js';
import type { StoredItem, WriteAnswer } from '../table/item-table.js';
import { hasToken, isCurrent, isOurs, lengthens } from './conditions.js';
import { type TableContext, ttlAfter, widestIntervalMs } from './lease-context.js';
import { type LeaseItem, leaseFormat } from './lease-item.js';

/** The lease that a request is about. */
export interface LeaseIdentity {
  readonly name: string;
  readonly leaseId: string;
  /** Its fencing token, which its holder knows; who gives back an unknown grant, or breaks, does not. */
  readonly token?: number;
  /** An earlier attempt to end it was not answered: it may have been applied. @default false */
  readonly mayHaveEnded?: boolean;
  /** A release keeps everybody from the lock until so long after its grant: whole milliseconds. @default 0 */
  readonly minHoldMs?: number;
  /** Whether the end of the lease shall bring the item as it stood, which may be as large as an item can be. @default false */
  readonly wantsBefore?: boolean;
}

/** How a holder's write ended. A store that can't be reached is a `StoreError` instead: nobody knows. */
export type HolderOutcome =
  /**
   * `already`: refused, and found done, by an earlier attempt. `before`: the item as it stood, where this very write
   * ended the lease, if it was asked for, or renewed it.
   */
  | { readonly kind: 'done'; readonly already?: true; readonly before?: LeaseItem | undefined }
  /** The lease is not the current one any more; nothing was changed (invariant I4). */
  | { readonly kind: 'lost'; readonly reason: LossReason }
  /** The lease is current, but the caller's own extra condition did not hold; nothing was changed. */
  | { readonly kind: 'refused'; readonly item: LeaseItem };

/** What is taken away when a lease ends. `version`, `checkpoint` and everything of the user's stay. */
const leaseAttributes = [
  ...['leaseId', 'owner', 'expiresAt', 'leaseMs', 'acquiredAt', 'renewals', 'releaseRequested'],
] as const;

/**
 * Renew: lengthens the lease to `expiresAt`, and writes what rides along.
 *
 * `expiresAt` must lie above all that this lease has asked for before. Then a refusal that shows an expiry at or
 * above it can only mean that this very write was applied and its answer lost; with a smaller value (the
 * clock's interval narrows, so `now.latest + leaseMs` may fall) a checkpoint would be lost without a word.
 */
export function writeRenewal(
  context: TableContext,
  lease: LeaseIdentity,
  expiresAt: number,
  change?: ItemChange,
  signal?: AbortSignal,
): Promise<WriteAnswer> {
  const values = {
    leaseId: lease.leaseId,
    token: lease.token,
    format: leaseFormat,
    newExpiresAt: expiresAt,
    ttl: ttlAfter(context, expiresAt),
    one: 1,
  };
  const form = renewalForms(lease.token !== undefined);
  // What somebody wrote onto the lease comes with the answer: no request more.
  return context.table.update(lease.name, { form, values, change, wantsOld: true }, signal);
}

/** Release: the lease ends, the item and its token stay. */
export function writeEnd(
  context: TableContext,
  lease: LeaseIdentity,
  change?: ItemChange,
  signal?: AbortSignal,
): Promise<WriteAnswer> {
  const now = Math.ceil(context.clock.now().latest);
  const { minHoldMs = 0 } = lease;
  // The clock's interval narrows: what was the latest at the grant may lie ahead of what it is now.
  const usedUntil = minHoldMs > 0 ? now + minHoldMs + widestIntervalMs + context.skewMs : now;
  const values = {
    leaseId: lease.leaseId,
    token: lease.token,
    format: leaseFormat,
    now,
    minHoldMs,
    ttl: ttlAfter(context, usedUntil),
  };
  const form = endForms(lease.token !== undefined, minHoldMs > 0);
  const wantsOld = lease.wantsBefore ?? false;
  return context.table.update(lease.name, { form, values, change, wantsOld }, signal);
}

/** The answer of a write that was applied. */
export function ended(before: StoredItem | undefined): HolderOutcome {
  return { kind: 'done', before: before as LeaseItem | undefined };
}

/** Whatever ends a lease writes and takes away this. */
export const endParts = (isTokenKnown: boolean, isHeldBack = false): FormParts => ({
  set: ['ttl'],
  compute: {
    lastLeaseId: ':leaseId',
    // From its grant on, as the item tells, which the releaser need not know.
    ...(isHeldBack && { freeFrom: 'if_not_exists(#acquiredAt, :now) + :minHoldMs' }),
  },
  remove: leaseAttributes,
  condition: allOf(isCurrent, isOwn(isTokenKnown)),
});

const endForms = formsBy(endParts);

/** A renewal lengthens the lease, and never shortens it. */
const renewalForms = formsBy((isTokenKnown: boolean) => ({
  set: ['ttl'],
  compute: { expiresAt: ':newExpiresAt', renewals: '#renewals + :one' },
  condition: allOf(isCurrent, lengthens, isOwn(isTokenKnown)),
}));

/** Under the lease's own token as well, or, where that is not known, under the mark of our items. */
function isOwn(isTokenKnown: boolean): string {
  return isTokenKnown ? hasToken : isOurs;
}
