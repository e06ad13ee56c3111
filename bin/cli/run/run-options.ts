import { defaults, type HoldOptions } from '../../../lib/client/index.js';
import { UsageError } from '../../../lib/errors/index.js';
import { formatDuration } from '../../terminal/figures.js';
import type { GlobalOptions } from '../connection.js';

/** What `leasehold run` was told. All in milliseconds. */
export interface RunOptions extends GlobalOptions {
  readonly lease?: number;
  readonly wait?: number;
  readonly grace?: number;
  readonly minHold?: number;
  readonly lockDelay?: number;
  readonly semaphore?: boolean;
  readonly permits?: number;
  readonly fair?: boolean;
}

/** How the lock is held, and how the command is ended. All in milliseconds. */
export interface RunTimes {
  readonly hold: HoldOptions & { readonly leaseMs: number; readonly safetyMarginMs: number };
  /** The end of one attempt of a request. */
  readonly requestTimeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
}

/** Where nothing else is said: this, and never more than a third of the lease. */
export const defaultGraceMs = 10_000;
const defaultGraceFraction = 1 / 3;

/** From SIGKILL until nothing of the command runs any more, on a busy machine. */
export const killMs = 100;

/**
 * What of a lease is left for renewing: a renewal's pause, and then the request with its attempts, half of it each. A
 * request to another continent takes a good part of it.
 */
const minRenewalMs = 500;

/**
 * How a lease is divided. The signal to end must come so early that grace and SIGKILL are over before the lease is:
 *
 *     grant or renewal │ pause │ renewal, all attempts │ SIGTERM … grace … SIGKILL, gone │ end of the lease
 *
 * The other holder comes half a second after the end at the earliest: store and clocks may disagree by so much, and
 * it is no part of the sum.
 *
 * @throws UsageError with the arithmetic if lease and grace do not go together
 */
export function divideLease({ lease, grace }: Pick<RunOptions, 'lease' | 'grace'>): RunTimes {
  const leaseMs = lease ?? defaults.leaseMs;
  const graceMs = grace ?? Math.floor(Math.min(defaultGraceMs, leaseMs * defaultGraceFraction));
  if (leaseMs < minRenewalMs + graceMs + killMs) throw tooShort(leaseMs, grace);
  const safetyMarginMs = Math.max(graceMs + killMs, leaseMs * defaults.safetyMarginFraction);
  const halfMs = (leaseMs - safetyMarginMs) / 2;
  return {
    hold: { leaseMs, safetyMarginMs, renewEveryMs: Math.min(leaseMs * defaults.renewFraction, halfMs) },
    requestTimeoutMs: Math.min(defaults.requestTimeoutMs, Math.floor(halfMs / defaults.maxAttempts)),
    graceMs,
  };
}

function tooShort(leaseMs: number, grace: number | undefined): UsageError {
  const fixed = `${minRenewalMs} ms to renew and ${killMs} ms to kill`;
  if (grace === undefined) {
    const minMs = Math.ceil((minRenewalMs + killMs) / (1 - defaultGraceFraction));
    return new UsageError(
      `--lease: must be at least ${minMs}ms, got ${leaseMs}ms: it takes ${fixed}, besides the grace`,
    );
  }
  const maxMs = leaseMs - minRenewalMs - killMs;
  const way = maxMs > 0 ? `a grace of at most ${maxMs}ms, or ` : '';
  return new UsageError(
    `--grace ${formatDuration(grace)} does not fit into --lease ${formatDuration(leaseMs)}: ` +
      'the command must be dead before the lease can be another holder’s, and that takes ' +
      `${fixed} besides the grace; give ${way}a lease of at least ${minRenewalMs + killMs + grace}ms`,
  );
}
