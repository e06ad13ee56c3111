import { UsageError } from '../errors/index.js';
import type { StoredItem } from '../table/index.js';

/** One item per lock name (protocol, section 1). All times are store time in milliseconds, `ttl` in seconds. */
export interface LeaseItem extends StoredItem {
  readonly name: string;
  /** The fencing token: +1 at every grant, never lowered, kept at release. */
  readonly version: number;
  /** Present exactly while held; one per acquire call, never changed by a renewal. */
  readonly leaseId?: string;
  readonly owner?: string;
  /** End of the lease. Expiry is this, never `ttl`. */
  readonly expiresAt?: number;
  readonly leaseMs?: number;
  readonly acquiredAt?: number;
  readonly renewals?: number;
  /** Progress of the work; survives release and takeover. */
  readonly checkpoint?: unknown;
  /** The lease id released, completed or broken last: its acquire, arriving late, can't take the lock again. */
  readonly lastLeaseId?: string;
  readonly completedAt?: number;
  readonly result?: unknown;
  /** Seconds since the epoch, for DynamoDB's TTL: garbage collection, a retention after the last use. */
  readonly ttl?: number;
  /** Items that belong together, for listing. */
  readonly group?: string;
}

/**
 * Reads a stored item as ours.
 *
 * @throws UsageError if somebody else wrote it: the types are not those of a lease item
 */
export function leaseItemOf(name: string, stored: StoredItem): LeaseItem {
  const expected: readonly [attribute: string, type: string, optional: boolean][] = [
    ['version', 'number', false],
    ['leaseId', 'string', true],
    ['owner', 'string', true],
    ['expiresAt', 'number', true],
    ['acquiredAt', 'number', true],
    ['lastLeaseId', 'string', true],
    ['completedAt', 'number', true],
  ];
  for (const [attribute, type, optional] of expected) {
    const value = stored[attribute];
    if (value === undefined && optional) continue;
    if (typeof value !== type) {
      const found = value === undefined ? 'missing' : `a ${typeof value}`;
      throw new UsageError(
        `The item "${name}" was not written by Leasehold: ${attribute} is ${found}, not a ${type}. It was left alone.`,
        name,
      );
    }
  }
  if ((stored.leaseId === undefined) !== (stored.expiresAt === undefined)) {
    throw new UsageError(
      `The item "${name}" was not written by Leasehold: leaseId and expiresAt stand only together. It was left alone.`,
      name,
    );
  }
  return stored as LeaseItem;
}
