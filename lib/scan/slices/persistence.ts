import type { Lease } from '../../lease/index.js';
import { type Runtime, retry } from '../../runtime/index.js';

/** In milliseconds. */
const spacing = { firstPauseMs: 50, maxPauseMs: 1_000 };

/**
 * Repeats a holder's write while the store gives no answer, until the lease ends. Each repeat asks for the same
 * values, so one that was applied without an answer does no harm.
 *
 * @throws LockLostError when the lease is over; what does not pass by itself
 */
export function persistently<T>(runtime: Runtime, lease: Lease, write: () => Promise<T>): Promise<T> {
  const mayPass = (error: unknown) => {
    if (!isPassing(error)) return false;
    lease.throwIfLost();
    return true;
  };
  // The lease's signal ends the pause, with the loss as its reason.
  return retry(runtime, { ...spacing, mayPass, signal: lease.signal }, write);
}

/** Whether the same request may work later: throttling, 5xx, network. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'StoreError' &&
    (error as { retryable?: boolean }).retryable === true
  );
}
