import { defaults } from './defaults.js';

/** All attempts of a request together may take this part of a lease: what renewing and the safety margin leave, less a reserve. */
const partOfLease = 1 / 2;

/**
 * The end of one attempt of a request that fits a lease. A client refuses a lease in which a renewal has no time for
 * all its attempts; whoever asks a function for a short lease has no other place to say how long requests may take.
 *
 * @param leaseMs the lease in milliseconds; absent: the client's default, and so is the answer
 * @returns milliseconds, never more than the client's default
 */
export function requestTimeoutFor(leaseMs: number | undefined): number {
  if (leaseMs === undefined) return defaults.requestTimeoutMs;
  const fittingMs = Math.floor((leaseMs * partOfLease) / defaults.maxAttempts);
  return Math.max(1, Math.min(defaults.requestTimeoutMs, fittingMs));
}
