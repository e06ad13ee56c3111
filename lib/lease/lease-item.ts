import { UsageError } from '../errors/index.js';
import type { StoredItem } from '../table/index.js';

/** One item per lock name (protocol, section 1). All times are store time in milliseconds, `ttl` in seconds. */
export interface LeaseItem extends StoredItem {
  readonly name: string;
  /** The fencing token: +1 at every grant, never lowered, kept at release. */
  readonly version: number;
  /**
   * Present exactly while held; one per acquire call, never changed by a renewal. Empty where the store shows it to
   * its holder only.
   */
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
  /** The lease id that an operator, or the end of its execution, broke last: its holder did not give it back. */
  readonly brokenLeaseId?: string;
  readonly completedAt?: number;
  readonly result?: unknown;
  /** Seconds since the epoch, for DynamoDB's TTL: garbage collection, a retention after the last use. */
  readonly ttl?: number;
  /** Items that belong together, for listing. */
  readonly group?: string;
}

/** The attributes that decisions rest on, each with its type in DynamoDB; `version` apart, which must be there. */
export const attributeTypes: Readonly<Record<string, 'S' | 'N'>> = {
  leaseId: 'S',
  owner: 'S',
  expiresAt: 'N',
  acquiredAt: 'N',
  lastLeaseId: 'S',
  completedAt: 'N',
};

/** Numbers of ours lie below this, either way: a `number` holds them exactly. */
export const numberLimit = Number.MAX_SAFE_INTEGER;

/**
 * Reads a stored item as ours.
 *
 * @throws UsageError if somebody else wrote it: the types are not those of a lease item
 */
export function parseLeaseItem(name: string, stored: StoredItem): LeaseItem {
  for (const [attribute, type] of [['version', 'N'] as const, ...Object.entries(attributeTypes)]) {
    const value = stored[attribute];
    if (value === undefined && attribute !== 'version') continue;
    const problem = type === 'S' ? textProblem(value) : numberProblem(value);
    if (problem) throw notOurs(name, `${attribute} is ${problem}`);
  }
  if ((stored.leaseId === undefined) !== (stored.expiresAt === undefined)) {
    throw notOurs(name, 'leaseId and expiresAt stand only together');
  }
  return stored as LeaseItem;
}

function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : `a ${typeof value}, not a string`;
}

/** What no `number` can hold was read as a `bigint`. */
function numberProblem(value: unknown): string | undefined {
  if (value === undefined) return 'missing';
  if (typeof value !== 'number' && typeof value !== 'bigint') return `a ${typeof value}, not a number`;
  return -numberLimit < value && value < numberLimit ? undefined : 'out of range';
}

function notOurs(name: string, why: string): UsageError {
  return new UsageError(`The item "${name}" was not written by Leasehold: ${why}. It was left alone.`, name);
}
