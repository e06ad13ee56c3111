import {
  freeAfter,
  type LeaseContext,
  type LeaseItem,
  parseLeaseItem,
  takeoverBefore,
} from '../lease/index.js';
import type { StoredItem } from '../table/index.js';

/** A lock as operators see it. Times are store time in milliseconds since the epoch. */
export interface LockInfo {
  readonly name: string;
  /** `expired`: its holder is gone, and the next taker gets it at once. */
  readonly state: 'free' | 'held' | 'expired' | 'completed';
  /** The fencing token granted last. */
  readonly token: number;
  readonly group: string | undefined;
  readonly owner: string | undefined;
  /** What `break` must name. Of a lock that is free, but not yet: the lease that keeps everybody from it. */
  readonly leaseId: string | undefined;
  readonly acquiredAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** How long the lease still runs if it is not renewed, or how long it is to `freeFrom`; else 0. */
  readonly remainingMs: number;
  /** Nobody holds it, and nobody gets it before this has passed: its holder before had a `minHoldMs`. */
  readonly freeFrom: number | undefined;
  /** Somebody has asked the holder to let go, and why. */
  readonly releaseRequested: string | undefined;
  readonly renewals: number | undefined;
  readonly checkpoint: unknown;
  readonly completedAt: number | undefined;
  readonly result: unknown;
}

/**
 * What the item says now.
 *
 * @param lockDelayMs for who would take a lease that ran out only so much later: until then it is held
 * @throws UsageError if the item is not ours
 */
export function toLockInfo(
  context: LeaseContext,
  stored: StoredItem & { readonly name?: unknown },
  lockDelayMs?: number,
): LockInfo {
  const item = parseLeaseItem(String(stored.name), stored);
  const mayBeTaken = freeAfter(item, lockDelayMs) < takeoverBefore(context);
  const freeFrom = item.leaseId === undefined && !mayBeTaken ? item.freeFrom : undefined;
  return {
    name: item.name,
    state: findState(item, mayBeTaken),
    token: item.version,
    group: item.group,
    owner: item.owner,
    leaseId: (freeFrom === undefined ? item.leaseId : item.lastLeaseId) || undefined,
    acquiredAt: item.acquiredAt,
    expiresAt: item.expiresAt,
    remainingMs: Math.max(0, (item.expiresAt ?? item.freeFrom ?? 0) - context.clock.now().latest),
    freeFrom,
    releaseRequested: item.leaseId === undefined ? undefined : item.releaseRequested,
    renewals: item.renewals,
    checkpoint: item.checkpoint,
    completedAt: item.completedAt,
    result: item.result,
  };
}

/** Whether a try may win: nobody has it, or its holder's lease is over for everybody. */
export function canBeHad(info: LockInfo | undefined): boolean {
  if (info?.freeFrom !== undefined) return false;
  return info === undefined || info.state === 'free' || info.state === 'expired';
}

function findState(item: LeaseItem, mayBeTaken: boolean): LockInfo['state'] {
  if (item.completedAt !== undefined) return 'completed';
  if (item.leaseId === undefined) return 'free';
  return mayBeTaken ? 'expired' : 'held';
}
