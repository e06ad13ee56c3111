import { type LossReason, StoreError } from '../errors/index.js';
import {
  all,
  type Condition,
  type FormParts,
  formsBy,
  type ItemChange,
  merged,
  type StoredItem,
  withChange,
} from '../table/index.js';
import { hasToken, isCurrent, isOurs, lengthens } from './conditions.js';
import { type TableContext, ttlAfter, widestIntervalMs } from './lease-context.js';
import { type LeaseItem, leaseFormat, parseLeaseItem } from './lease-item.js';

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
  | { readonly kind: 'done'; readonly already?: true; readonly before?: LeaseItem }
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
export async function requestRenewal(
  context: TableContext,
  lease: LeaseIdentity,
  expiresAt: number,
  change?: ItemChange,
  signal?: AbortSignal,
): Promise<HolderOutcome> {
  const values = {
    ...ownValues(lease),
    ':newExpiresAt': expiresAt,
    ':ttl': ttlAfter(context, expiresAt),
    ':one': 1,
  };
  // What somebody wrote onto the lease comes with the answer: no request more.
  const filled = { form: renewalForms(lease.token !== undefined), values, wantsOld: true };
  const write = withChange(filled, change);
  const answer = await context.table.update(lease.name, write, signal);
  if (answer.applied) return ended(answer.old);
  const item = answer.item && parseLeaseItem(lease.name, answer.item);
  if (!item || !isStill(lease, item)) return { kind: 'lost', reason: lossReason(lease, item) };
  return item.expiresAt! >= expiresAt ? { kind: 'done' } : { kind: 'refused', item };
}

/** Release: the lease ends, the item and its token stay. A lease that an operator has broken is lost, not released. */
export function requestRelease(
  context: TableContext,
  lease: LeaseIdentity,
  change?: ItemChange,
  signal?: AbortSignal,
): Promise<HolderOutcome> {
  const isDone = ({ brokenLeaseId }: LeaseItem) => brokenLeaseId !== lease.leaseId;
  return requestEnd(context, lease, change, isDone, signal);
}

/** @param isDone whether a lease that the item says has ended was ended by this very request, in an earlier attempt */
export async function requestEnd(
  context: TableContext,
  lease: LeaseIdentity,
  change: ItemChange | undefined,
  isDone: (item: LeaseItem) => boolean,
  signal: AbortSignal | undefined,
): Promise<HolderOutcome> {
  const now = Math.ceil(context.clock.now().latest);
  const { minHoldMs = 0 } = lease;
  const values = { ...ownValues(lease), ':ttl': ttlAfter(context, now) };
  const wantsOld = lease.wantsBefore ?? false;
  const filled = { form: endForms(lease.token !== undefined), values, wantsOld };
  const write = withChange(
    filled,
    minHoldMs > 0 ? merged(heldBack(context, now, minHoldMs), change) : change,
  );
  const answer = await context.table.update(lease.name, write, signal);
  if (answer.applied) return ended(answer.old);
  const item = answer.item && parseLeaseItem(lease.name, answer.item);
  if (item && isStill(lease, item)) return { kind: 'refused', item };
  if (item && hasEnded(lease, item) && isDone(item)) return { kind: 'done', already: true };
  // What an operator breaks is over by now, by whomever.
  if (lease.token !== undefined) checkOutcomeKnown(lease, item, answer.retried);
  return { kind: 'lost', reason: lossReason(lease, item) };
}

/**
 * Several successors leave no mark of a lease: what was asked for before, and not answered, may have been done or not.
 *
 * @throws StoreError if nobody can know
 */
export function checkOutcomeKnown(lease: LeaseIdentity, item: LeaseItem | undefined, retried: boolean): void {
  const { name, leaseId, mayHaveEnded = false } = lease;
  if (!(retried || mayHaveEnded) || item?.brokenLeaseId === leaseId) return;
  const message = `An earlier attempt to end the lease of "${name}" may have been applied: others have had the lock since`;
  throw new StoreError(message, name, { retryable: false, mayHaveApplied: true });
}

/** The answer of a write that was applied. */
export function ended(before: StoredItem | undefined): HolderOutcome {
  return { kind: 'done', ...(before && { before: before as LeaseItem }) };
}

/** Whatever ends a lease writes and takes away this. */
export const endParts = (isTokenKnown: boolean): FormParts => ({
  set: ['ttl'],
  compute: { lastLeaseId: { text: ':leaseId' } },
  remove: leaseAttributes,
  condition: all(isCurrent(''), isOwn(isTokenKnown)),
});

const endForms = formsBy(endParts);

/** A renewal lengthens the lease, and never shortens it. */
const renewalForms = formsBy((isTokenKnown: boolean) => ({
  set: ['ttl'],
  compute: { expiresAt: { text: ':newExpiresAt' }, renewals: { text: '#renewals + :one' } },
  condition: all(isCurrent(''), lengthens(0), isOwn(isTokenKnown)),
}));

/** Under the lease's own token as well, or, where that is not known, under the mark of our items. */
function isOwn(isTokenKnown: boolean): Condition {
  return isTokenKnown ? hasToken(0) : isOurs;
}

/** From its grant on, as the item tells, which the releaser need not know. */
function heldBack(context: TableContext, now: number, minHoldMs: number): ItemChange {
  const values = { ':now': now, ':minHoldMs': minHoldMs };
  return {
    compute: { freeFrom: { text: 'if_not_exists(#acquiredAt, :now) + :minHoldMs', values } },
    // The clock's interval narrows: what was the latest at the grant may lie ahead of what it is now.
    set: { ttl: ttlAfter(context, now + minHoldMs + widestIntervalMs + context.skewMs) },
  };
}

/** What the conditions on a lease compare with. */
export function ownValues({ leaseId, token }: LeaseIdentity) {
  return { ':leaseId': leaseId, ':token': token, ':format': leaseFormat };
}

/** Whether the item carries this very lease: the id, under the token that it was granted with. */
export function isStill(lease: LeaseIdentity, item: LeaseItem): boolean {
  if (item.leaseId !== lease.leaseId) return false;
  return lease.token === undefined || item.version === lease.token;
}

/** Whether the lease was given back, completed or broken, whoever holds now: one successor leaves the mark as it is. */
export function hasEnded(lease: LeaseIdentity, item: LeaseItem): boolean {
  return item.lastLeaseId === lease.leaseId && item.leaseId !== lease.leaseId;
}

/** Who ended it, as far as the item tells: an operator leaves our id behind, a taker puts its own there. */
export function lossReason(lease: LeaseIdentity, item: LeaseItem | undefined): LossReason {
  if (item === undefined) return 'broken';
  return item.leaseId === undefined && item.lastLeaseId === lease.leaseId ? 'broken' : 'taken-over';
}
