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
  // What is not given is a fraction of the lease, and grows with it.
  const renewalFor = (ms: number) => hold.renewEveryMs ?? own.renewEveryMs ?? ms * defaults.renewFraction;
  const marginFor = (ms: number) =>
    hold.safetyMarginMs ?? own.safetyMarginMs ?? ms * defaults.safetyMarginFraction;
  const [renewEveryMs, safetyMarginMs] = [renewalFor(leaseMs), marginFor(leaseMs)];
  const capMs = hold.maxHoldMs ?? client.maxHoldMs;
  const maxHoldMs = shortest(capMs, hold.endsInMs?.());
  const timeoutMs = callTimeoutMs(client);
  // Each number was checked by itself; but what is left of the caller's own time is asked anew.
  if (maxHoldMs !== undefined) checkNumber('maxHoldMs', maxHoldMs, 1);
  const needs = (ms: number) => renewalFor(ms) + timeoutMs + marginFor(ms);
  if (needs(leaseMs) > leaseMs) {
    // It grows along a line: so steeply, and from there.
    const steepness = (needs(2) - needs(0)) / 2;
    let minMs = Math.ceil(needs(0) / (1 - steepness));
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
    minHoldMs: Math.ceil(hold.minHoldMs ?? 0),
    endsInMs: hold.endsInMs,
  };
}

/** Time that has run out is as good as a millisecond: a lease that short is never handed out. */
function shortest(capMs: number | undefined, endsInMs: number | undefined): number | undefined {
  if (endsInMs === undefined) return capMs;
  const leftMs = Math.max(1, endsInMs);
  return Math.min(capMs ?? leftMs, leftMs);
}
