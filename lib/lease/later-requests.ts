import { all, formsBy, type ItemChange, type StoredItem } from '../table/index.js';
import { ended, endParts, type HolderOutcome, type LeaseIdentity, writeEnd } from './holder-requests.js';
import { isCompleted, isOurs, isSeen, wasTheLast } from './later-conditions.js';
import { type TableContext, ttlAfter } from './lease-context.js';
import { type LeaseItem, leaseFormat } from './lease-item.js';
import type { SeenLease } from './lease-store.js';
import { parseLeaseItem } from './parse-item.js';
import { afterEnd, checkOutcomeKnown, hasEnded, isStill, lossReason } from './refused-writes.js';

/* What most holders never ask for: completions, and what operators do. Loaded with the first of them. */

const completionForms = formsBy((isTokenKnown: boolean, hasResult: boolean, hasTtl: boolean) => {
  const end = endParts(isTokenKnown);
  return {
    ...end,
    set: ['completedAt', ...(hasResult ? ['result'] : []), ...(hasTtl ? ['ttl'] : [])],
    remove: [...(end.remove ?? []), ...(hasTtl ? [] : ['ttl'])],
  };
});

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
  const { leaseId, token } = lease;
  const values = { leaseId, token, format: leaseFormat, completedAt, ttl, result };
  const form = completionForms(lease.token !== undefined, result !== undefined, ttl !== undefined);
  const wantsOld = lease.wantsBefore ?? false;
  const answer = await context.table.update(lease.name, { form, values, change, wantsOld }, signal);
  if (answer.applied) return ended(answer.old);
  const item = answer.item && parseLeaseItem(lease.name, answer.item);
  if (item && isStill(lease, item)) return { kind: 'refused', item };
  if (item && hasEnded(lease, item) && item.brokenLeaseId !== lease.leaseId) {
    // Without the mark of a completion it was reopened since, or released before: only who asks again has completed it.
    if (item.completedAt !== undefined || answer.retried || lease.mayHaveEnded) return { kind: 'done' };
  }
  checkOutcomeKnown(lease, item, answer.retried);
  return { kind: 'lost', reason: lossReason(lease, item) };
}

/**
 * Break: an operator's release, by the lease id alone, which frees the lock at once. It leaves a mark of its own, so that the holder can tell it from
 * an attempt of its own release whose answer was lost. A lease that was released, and keeps everybody from the lock for a
 * while, does so no longer.
 */
export async function requestBreak(
  context: TableContext,
  { name, leaseId }: LeaseIdentity,
  signal?: AbortSignal,
): Promise<HolderOutcome> {
  const mark = { set: { brokenLeaseId: leaseId } };
  const lease = { name, leaseId };
  let isHeldBack = false;
  const isDone = ({ freeFrom }: LeaseItem) => {
    isHeldBack = freeFrom !== undefined;
    return true;
  };
  const outcome = afterEnd(lease, await writeEnd(context, lease, mark, signal), isDone);
  const change = { remove: ['freeFrom'], condition: all(wasTheLast(leaseId), isOurs) };
  if (isHeldBack) await context.table.update(name, change, signal);
  return outcome;
}

/** Asks the holder to let go, in the name of nobody: only the lease that was seen is asked. */
export async function requestLettingGo(
  context: TableContext,
  { name, leaseId, token }: SeenLease,
  reason: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const change = { set: { releaseRequested: reason }, condition: isSeen(leaseId, token) };
  return (await context.table.update(name, change, signal)).applied;
}

/**
 * Reopen: takes the completion back that was seen, and no other. Answers whether the name exists and is open now; a retry
 * that finds its own success says so, too.
 *
 * @param seen when it was completed, as somebody was shown. @default as one read more finds it
 */
export async function requestReopening(
  context: TableContext,
  name: string,
  seen?: number,
  signal?: AbortSignal,
): Promise<boolean> {
  let completedAt: unknown = seen;
  let completedBy: string | undefined;
  if (completedAt === undefined) {
    const item = await context.table.get(name, signal);
    // As it stands: also what is no time, and is to be mended.
    completedAt = item?.completedAt;
    if (typeof item?.lastLeaseId === 'string') completedBy = item.lastLeaseId;
    if (completedAt === undefined) return isOpen(name, item);
  }
  const ttl = ttlAfter(context, context.clock.now().latest);
  const condition = isCompleted(completedAt, completedBy);
  const change = { set: { ttl }, remove: ['completedAt', 'result'], condition };
  const answer = await context.table.update(name, change, signal);
  return answer.applied || isOpen(name, answer.item);
}

function isOpen(name: string, item: StoredItem | undefined): boolean {
  return item !== undefined && parseLeaseItem(name, item).completedAt === undefined;
}
