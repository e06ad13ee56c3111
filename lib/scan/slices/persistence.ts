import type { Lease } from '../../lease/index.js';
import { type Runtime, sleep } from '../../runtime/index.js';

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/**
 * Repeats a holder's write while the store gives no answer, until the lease ends. Each repeat asks for the same
 * values, so one that was applied without an answer does no harm.
 *
 * @throws LockLostError when the lease is over; what does not pass by itself
 */
export async function persistently<T>(runtime: Runtime, lease: Lease, write: () => Promise<T>): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error)) throw error;
      lease.throwIfLost();
      // The lease's signal ends the pause, with the loss as its reason.
      await sleep(runtime, pauseMs * (0.5 + runtime.random() / 2), lease.signal);
    }
  }
}

/** Whether the same request may work later: throttling, 5xx, network. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'StoreError' &&
    (error as { retryable?: boolean }).retryable === true
  );
}
