import { type LossReason, StoreError } from '../errors/index.js';
import { all, type ConditionalChange, type ItemChange, merged, type StoredItem } from '../table/index.js';
import { hasToken, isCompleted, isCurrent, isOurs, lengthens } from './conditions.js';
import { type TableContext, ttlAfter } from './lease-context.js';
import { type LeaseItem, parseLeaseItem } from './lease-item.js';

/** The lease that a request is about. */
export interface LeaseIdentity {
  readonly name: string;
  readonly leaseId: string;
  /** Its fencing token, which its holder knows; who gives back an unknown grant, or breaks, does not. */
  readonly token?: number;
  /** An earlier attempt to end it was not answered: it may have been applied. @default false */
  readonly mayHaveEnded?: boolean;
}

/** How a holder's write ended. A store that can't be reached is a `StoreError` instead: nobody knows. */
export type HolderOutcome =
  /**
   * `already`: refused, and found done, by an earlier attempt. `before`: the item as it stood, where this very write
   * ended the lease.
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
  const renewal = {
    set: { expiresAt, ttl: ttlAfter(context, expiresAt) },
    compute: { renewals: { text: '#renewals + :one', values: { ':one': 1 } } },
    condition: all(isCurrent(lease.leaseId), lengthens(expiresAt)),
  };
  // What somebody wrote onto the lease comes with the answer: no request more.
  const write = { ...merged(ownedBy(lease, renewal), change), wantsOld: true };
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

/**
 * Break: an operator's release, by the lease id alone. It leaves a mark of its own, so that the holder can tell it from
 * an attempt of its own release whose answer was lost.
 */
export function requestBreak(
  context: TableContext,
  { name, leaseId }: LeaseIdentity,
  signal?: AbortSignal,
): Promise<HolderOutcome> {
  const mark = { set: { brokenLeaseId: leaseId } };
  return requestEnd(context, { name, leaseId }, mark, () => true, signal);
}

/** Asks the holder to let go, in the name of nobody: only the lease that was seen is asked. */
export async function requestLettingGo(
  context: TableContext,
  { name, leaseId }: LeaseIdentity,
  reason: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const change = { set: { releaseRequested: reason }, condition: all(isCurrent(leaseId), isOurs) };
  return (await context.table.update(name, change, signal)).applied;
}

/** @param isDone whether a lease that the item says has ended was ended by this very request, in an earlier attempt */
async function requestEnd(
  context: TableContext,
  lease: LeaseIdentity,
  change: ItemChange | undefined,
  isDone: (item: LeaseItem) => boolean,
  signal: AbortSignal | undefined,
): Promise<HolderOutcome> {
  const now = Math.ceil(context.clock.now().latest);
  const release = toEnd(lease, { ttl: ttlAfter(context, now) });
  const write = { ...merged(ownedBy(lease, release), change), wantsOld: true };
  const answer = await context.table.update(lease.name, write, signal);
  if (answer.applied) return ended(answer.old);
  const item = answer.item && parseLeaseItem(lease.name, answer.item);
  if (item && isStill(lease, item)) return { kind: 'refused', item };
  if (item && hasEnded(lease, item) && isDone(item)) return { kind: 'done', already: true };
  // What an operator breaks is over by now, by whomever.
  if (lease.token !== undefined) checkKnown(lease, item, answer.retried);
  return { kind: 'lost', reason: lossReason(lease, item) };
}

/**
 * Several successors leave no mark of a lease: what was asked for before, and not answered, may have been done or not.
 *
 * @throws StoreError if nobody can know
 */
function checkKnown(lease: LeaseIdentity, item: LeaseItem | undefined, retried: boolean): void {
  const { name, leaseId, mayHaveEnded = false } = lease;
  if (!(retried || mayHaveEnded) || item?.brokenLeaseId === leaseId) return;
  const message = `An earlier attempt to end the lease of "${name}" may have been applied: others have had the lock since`;
  throw new StoreError(message, name, { retryable: false, mayHaveApplied: true });
}

/**
 * Complete: a release after which nobody can acquire the name until it is reopened (invariant I7).
 *
 * @param retainMs how long the item is kept, in milliseconds. @default for good
 */
export async function requestCompletion(
  context: TableContext,
  lease: LeaseIdentity,
  result: unknown,
  change?: ItemChange,
  signal?: AbortSignal,
  retainMs?: number,
): Promise<HolderOutcome> {
  const completedAt = Math.ceil(context.clock.now().latest);
  // For good, unless somebody says for how long: without a `ttl` nothing removes the item.
  const ttl = retainMs === undefined ? undefined : ttlAfter({ retentionMs: retainMs }, completedAt);
  const end = toEnd(lease, { completedAt, result, ttl });
  const completion = ttl === undefined ? { ...end, remove: [...end.remove, 'ttl'] } : end;
  const write = { ...merged(ownedBy(lease, completion), change), wantsOld: true };
  const answer = await context.table.update(lease.name, write, signal);
  if (answer.applied) return ended(answer.old);
  const item = answer.item && parseLeaseItem(lease.name, answer.item);
  if (item && isStill(lease, item)) return { kind: 'refused', item };
  if (item && hasEnded(lease, item) && item.brokenLeaseId !== lease.leaseId) {
    // Without the mark of a completion it was reopened since, or released before: only who asks again has completed it.
    if (item.completedAt !== undefined || answer.retried || lease.mayHaveEnded) return { kind: 'done' };
  }
  checkKnown(lease, item, answer.retried);
  return { kind: 'lost', reason: lossReason(lease, item) };
}

/**
 * Reopen: takes a completion back. Answers whether the name exists and is open now; a retry that finds its own
 * success says so, too.
 */
export async function requestReopening(
  context: TableContext,
  name: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const ttl = ttlAfter(context, context.clock.now().latest);
  const change = { set: { ttl }, remove: ['completedAt', 'result'], condition: isCompleted };
  const answer = await context.table.update(name, change, signal);
  if (answer.applied) return true;
  return answer.item !== undefined && parseLeaseItem(name, answer.item).completedAt === undefined;
}

function ended(before: StoredItem | undefined): HolderOutcome {
  return { kind: 'done', ...(before && { before: before as LeaseItem }) };
}

function toEnd(lease: LeaseIdentity, set: Readonly<Record<string, unknown>>) {
  return {
    set: { lastLeaseId: lease.leaseId, ...set },
    remove: leaseAttributes,
    condition: isCurrent(lease.leaseId),
  };
}

/** The change, under the lease's own token as well, or, where that is not known, under the mark of our items. */
function ownedBy({ token }: LeaseIdentity, change: ConditionalChange): ConditionalChange {
  return merged(change, { condition: token === undefined ? isOurs : hasToken(token) });
}

/** Whether the item carries this very lease: the id, under the token that it was granted with. */
function isStill(lease: LeaseIdentity, item: LeaseItem): boolean {
  if (item.leaseId !== lease.leaseId) return false;
  return lease.token === undefined || item.version === lease.token;
}

/** Whether the lease was given back, completed or broken, whoever holds now: one successor leaves the mark as it is. */
function hasEnded(lease: LeaseIdentity, item: LeaseItem): boolean {
  return item.lastLeaseId === lease.leaseId && item.leaseId !== lease.leaseId;
}

/** Who ended it, as far as the item tells: an operator leaves our id behind, a taker puts its own there. */
export function lossReason(lease: LeaseIdentity, item: LeaseItem | undefined): LossReason {
  if (item === undefined) return 'broken';
  return item.leaseId === undefined && item.lastLeaseId === lease.leaseId ? 'broken' : 'taken-over';
}
