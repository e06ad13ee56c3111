import type { StoredItem } from '../table/index.js';

/** One item per lock name (protocol, section 1). All times are store time in milliseconds, `ttl` in seconds. */
export interface LeaseItem extends StoredItem {
  readonly name: string;
  /** Which form the item has, and that it is ours: written with every grant. */
  readonly format: string;
  /** The fencing token: the store time of the grant, or one more than the last. Never lowered, kept at release. */
  readonly version: number;
  /**
   * Present exactly while held; one per acquire call, never changed by a renewal. Empty where the store shows it to
   * its holder only.
   */
  readonly leaseId?: string;
  readonly owner?: string;
  /** End of the lease. Expiry is this, never `ttl`. */
  readonly expiresAt?: number;
  /** The length asked for. So long a waiter watches the lease before it takes it over; 0 where nobody may. */
  readonly leaseMs?: number;
  readonly acquiredAt?: number;
  readonly renewals?: number;
  /** Progress of the work; survives release and takeover. */
  readonly checkpoint?: unknown;
  /** The lease id released, completed or broken last: its acquire, arriving late, can't take the lock again. */
  readonly lastLeaseId?: string;
  /** The lease id that an operator, or the end of its execution, broke last: its holder did not give it back. */
  readonly brokenLeaseId?: string;
  /** Why somebody asks the holder of this very lease to let go; a grant or a release takes it away. */
  readonly releaseRequested?: string;
  /** The holder before released it sooner than its `minHoldMs`: nobody gets it until this has passed. */
  readonly freeFrom?: number;
  readonly completedAt?: number;
  readonly result?: unknown;
  /** Seconds since the epoch, for DynamoDB's TTL: garbage collection, a retention after the last use. */
  readonly ttl?: number;
  /** Items that belong together, for listing. */
  readonly group?: string;
}

/** The mark of our items. Whoever else writes to the table does not write this. */
export const leaseFormat = 'leasehold/1';

/** Tokens and other numbers lie below this: a `number` holds them exactly. */
export const numberLimit = Number.MAX_SAFE_INTEGER;
