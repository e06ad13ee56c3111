import { UsageError } from '../errors/index.js';
import type { StoredItem } from '../table/index.js';
import { type LeaseItem, leaseFormat, numberLimit } from './lease-item.js';

/** No `Date` can hold a moment further from the epoch, in milliseconds. */
const dateLimit = 8_640_000_000_000_000;

/** What is wrong with a value, in words. */
type Check = (value: unknown) => string | undefined;

/** The attributes that decisions rest on or that people are shown, and what each must be. */
const checks: Readonly<Record<string, Check>> = {
  version: tokenProblem,
  leaseId: textProblem,
  owner: textProblem,
  expiresAt: timeProblem,
  acquiredAt: timeProblem,
  freeFrom: timeProblem,
  lastLeaseId: textProblem,
  completedAt: timeProblem,
};

/**
 * Reads a stored item as ours.
 *
 * @throws UsageError if somebody else wrote it, or has changed it into what we never write
 */
export function parseLeaseItem(name: string, stored: StoredItem): LeaseItem {
  if (stored.format !== leaseFormat) throw notOurs(name, `it does not bear the mark "${leaseFormat}"`);
  if (stored.version === undefined) throw notOurs(name, 'version is missing');
  for (const attribute in checks) {
    const value = stored[attribute];
    const problem = value === undefined ? undefined : checks[attribute]!(value);
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

function tokenProblem(value: unknown): string | undefined {
  const problem = numberProblem(value, numberLimit);
  return problem ?? (Number.isInteger(value) ? undefined : `${String(value)}, not a whole number`);
}

function timeProblem(value: unknown): string | undefined {
  return numberProblem(value, dateLimit);
}

/** What no `number` can hold was read as a `bigint`. */
function numberProblem(value: unknown, limit: number): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return `a ${typeof value}, not a number`;
  return -limit < value && value < limit ? undefined : 'out of range';
}

function notOurs(name: string, why: string): UsageError {
  return new UsageError(`The item "${name}" was not written by Leasehold: ${why}. It was left alone.`, name);
}
