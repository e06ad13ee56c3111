import { elapsedBetween } from '../clock/store-clock.js';
import { LockLostError, StoreError } from '../errors/index.js';
import type { Lease, LeaseContext } from '../lease/index.js';
import { retry } from '../runtime/index.js';

/** In milliseconds. */
const spacing = { firstPauseMs: 50, maxPauseMs: 1_000 };

/**
 * Writes down that work is done, under the lease that it was done under. The work can't be undone, so a store that
 * is away for a moment is no reason to have it done again: the write is tried until the lease would be over.
 *
 * @param result of the work: a loss carries it, so that it does not get lost, too
 * @param write ends the lease; may be repeated, as all its writes may
 * @throws LockLostError carrying the result if the lease is over and nothing was written, or if the store could
 *   not be reached for as long as the lease would have lasted; whatever else `write` throws
 */
export async function lastWrite(
  { clock, runtime }: LeaseContext,
  lease: Lease,
  result: unknown,
  write: () => Promise<void>,
): Promise<void> {
  const since = clock.instant();
  const leftMs = lease.remainingMs;
  const lost = (reason: LockLostError['reason'], cause: unknown) =>
    new LockLostError(lease.name, reason, lease.token, { cause, result });
  const mayPass = (error: unknown) => {
    if (error instanceof LockLostError) throw lost(error.reason, error);
    if (!(error instanceof StoreError && error.retryable)) return false;
    if (elapsedBetween(since, clock.instant()).most > leftMs) throw lost('store-unavailable', error);
    return true;
  };
  await retry(runtime, { ...spacing, mayPass }, write);
}
