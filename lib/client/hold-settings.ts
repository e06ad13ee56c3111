import { UsageError } from '../errors/index.js';
import { checkNumber } from '../lease/check-options.js';
import type { HoldSettings } from '../lease/index.js';
import type { HoldOptions } from './acquire-options.js';
import { type ClientOptions, callTimeoutMs, defaults } from './client-options.js';

/** A number that was made of fractions is known only nearly, in milliseconds. */
const nearlyMs = 0.001;

/**
 * How leases of these options are held.
 *
 * @throws UsageError if they can't work: a renewal must have time for all its attempts before the lease is in danger
 */
export function holdSettings(client: ClientOptions, hold: HoldOptions): HoldSettings {
  const { renewFraction, safetyMarginFraction } = defaults;
  const leaseMs = hold.leaseMs ?? client.leaseMs ?? defaults.leaseMs;
  // A fraction of the client's lease is no measure for another lease.
  const own: HoldOptions = hold.leaseMs === undefined || hold.leaseMs === client.leaseMs ? client : {};
  const renewal = hold.renewEveryMs ?? own.renewEveryMs;
  const margin = hold.safetyMarginMs ?? own.safetyMarginMs;
  const timeoutMs = callTimeoutMs(client);
  // What is not given is a fraction of the lease, and grows with it.
  const growing =
    (renewal === undefined ? renewFraction : 0) + (margin === undefined ? safetyMarginFraction : 0);
  const leastMs = Math.ceil(((renewal ?? 0) + timeoutMs + (margin ?? 0)) / (1 - growing) - nearlyMs);
  const renewEveryMs = renewal ?? leaseMs * renewFraction;
  const safetyMarginMs = margin ?? leaseMs * safetyMarginFraction;
  if (leaseMs < leastMs) {
    throw new UsageError(
      `leaseMs: ${leaseMs} is too short; renewEveryMs ${Math.round(renewEveryMs)} + requestTimeoutMs × maxAttempts ` +
        `${timeoutMs} + safetyMarginMs ${Math.round(safetyMarginMs)} need at least ${leastMs}`,
    );
  }
  const { endsInMs } = hold;
  const capMs = hold.maxHoldMs ?? client.maxHoldMs;
  // Time that has run out is as good as a millisecond: a lease that short is never handed out.
  const maxHoldMs = endsInMs ? Math.min(capMs ?? Number.POSITIVE_INFINITY, Math.max(1, endsInMs())) : capMs;
  // Each number was checked by itself; but what is left of the caller's own time is asked anew.
  if (maxHoldMs !== undefined) checkNumber('maxHoldMs', maxHoldMs, 1);
  // A hold that ends sooner than a lease is a shorter lease, and its margin shrinks with it.
  const grantedMs = Math.min(leaseMs, maxHoldMs ?? leaseMs);
  const isCut = grantedMs < leaseMs;
  return {
    leaseMs: grantedMs,
    wholeLeaseMs: leaseMs,
    // What a renewal and all its attempts leave of it; of a hold that is cut short all is wanted.
    spareMs: isCut ? 0 : leaseMs - renewEveryMs - timeoutMs - safetyMarginMs,
    renewEveryMs,
    safetyMarginMs: isCut ? Math.min(safetyMarginMs, grantedMs * safetyMarginFraction) : safetyMarginMs,
    maxHoldMs,
    capMs,
    minHoldMs: Math.ceil(hold.minHoldMs ?? 0),
    endsInMs,
  };
}
