import { type LeaseContext, type LeaseItem, parseLeaseItem, takeoverBefore } from '../lease/index.js';
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
  /** What `break` must name. */
  readonly leaseId: string | undefined;
  readonly acquiredAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** How long the lease still runs if it is not renewed; 0 when it is over or nobody holds it. */
  readonly remainingMs: number;
  readonly renewals: number | undefined;
  readonly checkpoint: unknown;
  readonly completedAt: number | undefined;
  readonly result: unknown;
}

/**
 * What the item says now.
 *
 * @throws UsageError if the item is not ours
 */
export function toLockInfo(
  context: LeaseContext,
  stored: StoredItem & { readonly name?: unknown },
): LockInfo {
  const item = parseLeaseItem(String(stored.name), stored);
  return {
    name: item.name,
    state: findState(context, item),
    token: item.version,
    group: item.group,
    owner: item.owner,
    leaseId: item.leaseId || undefined,
    acquiredAt: item.acquiredAt,
    expiresAt: item.expiresAt,
    remainingMs: Math.max(0, (item.expiresAt ?? 0) - context.clock.now().latest),
    renewals: item.renewals,
    checkpoint: item.checkpoint,
    completedAt: item.completedAt,
    result: item.result,
  };
}

function findState(context: LeaseContext, item: LeaseItem): LockInfo['state'] {
  if (item.completedAt !== undefined) return 'completed';
  if (item.leaseId === undefined) return 'free';
  return item.expiresAt! < takeoverBefore(context) ? 'expired' : 'held';
}
