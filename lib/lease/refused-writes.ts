import { type LossReason, StoreError } from '../errors/index.js';
import type { ItemChange, WriteAnswer } from '../table/index.js';
import { type GrantOutcome, type GrantRequest, type GrantWrite, writeGrant } from './acquire-request.js';
import { ended, type HolderOutcome, type LeaseIdentity, writeEnd, writeRenewal } from './holder-requests.js';
import { type TableContext, takeoverBefore } from './lease-context.js';
import type { LeaseItem } from './lease-item.js';
import { parseLeaseItem } from './parse-item.js';

/*
 * What it means that a write was refused: whose lease stands there, or whether an earlier attempt of this very write was
 * applied and its answer lost. Loaded with the first refusal.
 */

/**
 * A free lock's last token may lie ahead of this clock: then once more above it. Each further time somebody else has
 * had the lock in between.
 */
const maxWrites = 3;

/**
 * The acquire write, and what became of it. Where the lock is free and its last token lies ahead of this clock there is a
 * second one, above that token.
 *
 * @throws StoreError when the store can't be used, or its time is not known well enough
 * @throws UsageError when the item under the name is not ours
 */
export async function requestGrant(
  context: TableContext,
  request: GrantRequest,
  signal?: AbortSignal,
): Promise<GrantOutcome> {
  const first = await writeGrant(context, request, signal);
  return afterGrant(context, request, first, signal);
}

/** As {@link requestGrant}, from the answer of the first write on. */
export async function afterGrant(
  context: TableContext,
  request: GrantRequest,
  first: GrantWrite,
  signal?: AbortSignal,
): Promise<GrantOutcome> {
  let write = first;
  let mayArriveLate = false;
  for (let writes = 1; ; writes++) {
    const outcome = toOutcome(request, write);
    if (outcome.kind !== 'held') return outcome;
    mayArriveLate ||= outcome.mayArriveLate;
    if (writes === maxWrites || !isFreeAhead(context, request, write.grant.token, outcome.item)) {
      return { ...outcome, mayArriveLate };
    }
    const { askedAt } = write.grant;
    write = await writeGrant(context, { ...request, askedAt, aboveToken: outcome.item.version }, signal);
  }
}

/** Whether only its token stood against a grant. */
function isFreeAhead(
  context: TableContext,
  { seenLeaseId, lockDelayMs, giveUpWhen }: GrantRequest,
  token: number,
  item: LeaseItem | undefined,
): item is LeaseItem {
  if (item === undefined || item.version < token) return false;
  if (giveUpWhen?.(item)) return false;
  // The lease that it takes over is no obstacle to a supersede.
  const others = item.leaseId === seenLeaseId ? { ...item, leaseId: undefined } : item;
  return freeAfter(others, lockDelayMs) < takeoverBefore(context);
}

function toOutcome({ name, leaseId }: GrantRequest, { grant, answer }: GrantWrite): GrantOutcome {
  if (answer.applied) return { kind: 'granted', grant };
  const item = answer.item && parseLeaseItem(name, answer.item);
  if (item?.leaseId === leaseId) {
    const adopted = {
      leaseId,
      token: item.version,
      expiresAt: item.expiresAt!,
      acquiredAt: item.acquiredAt ?? grant.acquiredAt,
      askedAt: grant.askedAt,
      item,
      adopted: true,
    };
    return { kind: 'granted', grant: adopted };
  }
  if (item?.completedAt !== undefined) return { kind: 'completed', item };
  if (item?.lastLeaseId === leaseId) return { kind: 'given-back' };
  return { kind: 'held', item, mayArriveLate: answer.retried };
}

/** Renew, and what became of it. See {@link writeRenewal}. */
export async function requestRenewal(
  context: TableContext,
  lease: LeaseIdentity,
  expiresAt: number,
  change?: ItemChange,
  signal?: AbortSignal,
): Promise<HolderOutcome> {
  return afterRenewal(lease, expiresAt, await writeRenewal(context, lease, expiresAt, change, signal));
}

/** What became of a renewal. */
export function afterRenewal(lease: LeaseIdentity, expiresAt: number, answer: WriteAnswer): HolderOutcome {
  if (answer.applied) return ended(answer.old);
  const item = answer.item && parseLeaseItem(lease.name, answer.item);
  if (!item || !isStill(lease, item)) return { kind: 'lost', reason: lossReason(lease, item) };
  return item.expiresAt! >= expiresAt ? { kind: 'done' } : { kind: 'refused', item };
}

/** Release, and what became of it. A lease that an operator has broken is lost, not released. */
export async function requestRelease(
  context: TableContext,
  lease: LeaseIdentity,
  change?: ItemChange,
  signal?: AbortSignal,
): Promise<HolderOutcome> {
  return afterRelease(lease, await writeEnd(context, lease, change, signal));
}

/** What became of a release. */
export function afterRelease(lease: LeaseIdentity, answer: WriteAnswer): HolderOutcome {
  return afterEnd(lease, answer, ({ brokenLeaseId }) => brokenLeaseId !== lease.leaseId);
}

/** @param isDone whether a lease that the item says has ended was ended by this very request, in an earlier attempt */
export function afterEnd(
  lease: LeaseIdentity,
  answer: WriteAnswer,
  isDone: (item: LeaseItem) => boolean,
): HolderOutcome {
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

/**
 * When the lock of an item comes free by itself, if nobody writes to it: store time in milliseconds. Whoever takes it waits
 * until that lies before {@link takeoverBefore}. The smallest number there is where it is free at once.
 *
 * @param lockDelayMs how much longer the taker leaves a lease that ran out
 */
export function freeAfter(
  {
    leaseId,
    expiresAt,
    freeFrom,
  }: Partial<Record<'expiresAt' | 'freeFrom', number | undefined>> & {
    readonly leaseId?: string | undefined;
  },
  lockDelayMs = 0,
): number {
  const never = Number.NEGATIVE_INFINITY;
  return Math.max(leaseId === undefined ? never : expiresAt! + lockDelayMs, freeFrom ?? never);
}
