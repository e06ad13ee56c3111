import { UsageError } from '../errors/index.js';

/** What a guard needs to know of a lease; every `Lease` has it, and so has what `JSON` keeps of one. */
export interface FencingToken {
  /** The lock's name, for messages. */
  readonly name: string;
  /** The fencing token: larger than that of every lease granted under the name before. */
  readonly token: number;
}

/** How guarded data keeps the token. */
export interface FenceOptions {
  /** The attribute that holds the largest token seen. @default "fence" */
  readonly fenceAttribute?: string;
}

/** The attribute, unless told otherwise. */
export const defaultFenceAttribute = 'fence';

/**
 * Every guard begins with this, before anything is sent. A token that has lost its type on the way, as JSON makes null of
 * NaN, would otherwise take a fence away, or stand where no later token passes it.
 *
 * @throws UsageError unless the lease has a token. For a lease that this process has given back, what its own
 *   `throwIfLost` throws
 */
export function checkLease(lease: FencingToken): void {
  checkToken(lease);
  checkNotEnded(lease);
}

/** @throws UsageError unless it has a token that a store can have given: a whole number from 1 to 2^53 - 1 */
export function checkToken(lease: FencingToken): void {
  if (Number.isSafeInteger(lease?.token) && lease.token >= 1) return;
  throw new UsageError(
    `A guard needs a lease with its fencing token, a whole number from 1 to ${Number.MAX_SAFE_INTEGER}; ` +
      `got ${shown(lease)}`,
    lease?.name,
  );
}

/** Work that nobody awaited may go on after its lock was released. A lease that was lost is for the resource to refuse. */
function checkNotEnded(lease: FencingToken & { readonly throwIfLost?: unknown }): void {
  if (typeof lease.throwIfLost !== 'function') return;
  try {
    lease.throwIfLost();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'LOCK_LOST') throw error;
  }
}

function shown(lease: FencingToken | undefined): string {
  if (typeof lease !== 'object' || lease === null) return String(lease);
  const { token } = lease as { readonly token: unknown };
  return `the token ${typeof token === 'string' ? JSON.stringify(token) : String(token)}`;
}
