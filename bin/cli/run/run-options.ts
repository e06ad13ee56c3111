import { defaults, type HoldOptions } from '../../../lib/client/index.js';
import { requestTimeoutFor } from '../../../lib/client/request-timeout.js';
import { UsageError } from '../../../lib/errors/index.js';
import type { GlobalOptions } from '../connection.js';

/** What `leasehold run` was told. All in milliseconds. */
export interface RunOptions extends GlobalOptions {
  readonly lease?: number;
  readonly wait?: number;
  readonly grace?: number;
}

/** How long a command has between SIGTERM and SIGKILL, in milliseconds, if nothing else is said. */
const defaultGraceMs = 10_000;

/** Requests must fit in a lease three times, and a request to another continent takes a good part of a second. */
const minLeaseMs = 1_000;

/**
 * How the lock is held. The safety margin, at which the command gets SIGTERM, is the grace, so that SIGKILL comes
 * before anybody else can have the lock; less only where renewals need the room.
 *
 * @throws UsageError if the lease is too short
 */
export function toHoldOptions(
  options: RunOptions,
): HoldOptions & { readonly leaseMs: number; readonly safetyMarginMs: number } {
  const leaseMs = options.lease ?? defaults.leaseMs;
  if (leaseMs < minLeaseMs) throw new UsageError(`--lease: must be at least 1s, got ${leaseMs}ms`);
  const requestsMs = requestTimeoutFor(leaseMs) * defaults.maxAttempts;
  const maxMs = Math.floor(leaseMs * (1 - defaults.renewFraction) - requestsMs);
  const minMs = leaseMs * defaults.safetyMarginFraction;
  return { leaseMs, safetyMarginMs: Math.max(minMs, Math.min(parseGrace(options), maxMs)) };
}

/** The time between SIGTERM and SIGKILL, in milliseconds. */
export function parseGrace({ grace }: RunOptions): number {
  return grace ?? defaultGraceMs;
}
