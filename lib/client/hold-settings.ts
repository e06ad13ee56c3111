import { UsageError } from '../errors/index.js';
import { checkNumber } from '../lease/check-options.js';
import type { HoldSettings } from '../lease/index.js';
import type { HoldOptions } from './acquire-options.js';
import { type ClientOptions, callTimeoutMs, defaults } from './client-options.js';

/**
 * How leases of these options are held.
 *
 * @throws UsageError if they can't work: a renewal must have time for all its attempts before the lease is in danger
 */
export function holdSettings(client: ClientOptions, hold: HoldOptions): HoldSettings {
  const leaseMs = hold.leaseMs ?? client.leaseMs ?? defaults.leaseMs;
  // A fraction of the client's lease is no measure for another lease.
  const own: HoldOptions = hold.leaseMs === undefined || hold.leaseMs === client.leaseMs ? client : {};
  const renewEveryMs = hold.renewEveryMs ?? own.renewEveryMs ?? leaseMs * defaults.renewFraction;
  const safetyMarginMs = hold.safetyMarginMs ?? own.safetyMarginMs ?? leaseMs * defaults.safetyMarginFraction;
  const capMs = hold.maxHoldMs ?? client.maxHoldMs;
  const maxHoldMs = shortest(capMs, hold.endsInMs?.());
  const timeoutMs = callTimeoutMs(client);
  checkNumber('leaseMs', leaseMs, 1, defaults.maxLeaseMs);
  checkNumber('renewEveryMs', renewEveryMs, 1);
  checkNumber('safetyMarginMs', safetyMarginMs, 0);
  if (maxHoldMs !== undefined) checkNumber('maxHoldMs', maxHoldMs, 1);
  const { minHoldMs = 0 } = hold;
  checkNumber('minHoldMs', minHoldMs, 0, defaults.maxLeaseMs);
  if (renewEveryMs + timeoutMs + safetyMarginMs > leaseMs) {
    // Those that are fractions of the lease grow with it.
    const fixed = (fraction: number, ms: number | undefined) =>
      ms === undefined ? { fraction, ms: 0 } : { fraction: 0, ms };
    const renewal = fixed(defaults.renewFraction, hold.renewEveryMs ?? own.renewEveryMs);
    const margin = fixed(defaults.safetyMarginFraction, hold.safetyMarginMs ?? own.safetyMarginMs);
    const needs = (ms: number) =>
      renewal.ms + renewal.fraction * ms + timeoutMs + margin.ms + margin.fraction * ms;
    let minMs = Math.ceil((renewal.ms + timeoutMs + margin.ms) / (1 - renewal.fraction - margin.fraction));
    // What a fraction comes to is known only nearly.
    if (needs(minMs) > minMs) minMs += 1;
    throw new UsageError(
      `leaseMs: ${leaseMs} is too short; renewEveryMs ${Math.round(renewEveryMs)} + requestTimeoutMs × maxAttempts ` +
        `${timeoutMs} + safetyMarginMs ${Math.round(safetyMarginMs)} need at least ${minMs}`,
    );
  }
  // A hold that ends sooner than a lease is a shorter lease, and its margin shrinks with it.
  const grantedMs = Math.min(leaseMs, maxHoldMs ?? leaseMs);
  const marginMs =
    grantedMs === leaseMs
      ? safetyMarginMs
      : Math.min(safetyMarginMs, grantedMs * defaults.safetyMarginFraction);
  return {
    leaseMs: grantedMs,
    wholeLeaseMs: leaseMs,
    // What a renewal and all its attempts leave of it; of a hold that is cut short all is wanted.
    spareMs: grantedMs === leaseMs ? leaseMs - renewEveryMs - timeoutMs - safetyMarginMs : 0,
    renewEveryMs,
    safetyMarginMs: marginMs,
    maxHoldMs,
    capMs,
    minHoldMs: Math.ceil(minHoldMs),
    endsInMs: hold.endsInMs,
  };
}

/** Time that has run out is as good as a millisecond: a lease that short is never handed out. */
function shortest(capMs: number | undefined, endsInMs: number | undefined): number | undefined {
  if (endsInMs === undefined) return capMs;
  const leftMs = Math.max(1, endsInMs);
  return Math.min(capMs ?? leftMs, leftMs);
}
