import { AlreadyCompletedError } from '../errors/index.js';
import type { Lease } from '../lease/index.js';
import { checkNumber } from './client-options.js';
import { defaults } from './defaults.js';
import { lastWrite } from './last-write.js';
import type { AcquireOptions, LockClient } from './lock-client.js';
import { runUnder } from './with-lock.js';

/** How to do something once, and how long to remember it. */
export interface OnceOptions extends Omit<AcquireOptions, 'change' | 'giveUpWhen'> {
  /**
   * How long the result is kept after the work is done, in milliseconds, at least a day (protocol, section 2).
   * Afterwards DynamoDB's Time to Live removes it, in its own time, and the work may run again.
   *
   * @default the client's `retentionMs`
   */
  readonly retainMs?: number;
}

/** The work's result, and whether it was this call that did the work. */
export interface OnceOutcome<T> {
  /** `false`: somebody did the work before, and `result` is what DynamoDB kept of theirs. */
  readonly ran: boolean;
  readonly result: T;
}

/**
 * See {@link LockClient.once}. Two writes: the grant, and the completion that stores the result. A caller that finds
 * the work done costs one.
 */
export async function once<T>(
  locks: LockClient,
  name: string,
  work: (lease: Lease) => Promise<T> | T,
  options: OnceOptions,
): Promise<OnceOutcome<T>> {
  const { retainMs, ...acquire } = options;
  if (retainMs !== undefined) checkNumber('retainMs', retainMs, defaults.minRetentionMs);

  let lease: Lease;
  try {
    lease = await locks.acquire(name, acquire);
  } catch (error) {
    // Only of this acquire: one that the work throws is the work's own.
    if (error instanceof AlreadyCompletedError) return { ran: false, result: error.result as T };
    throw error;
  }
  let outcome: OnceOutcome<T> | undefined;
  try {
    await runUnder(
      lease,
      async () => {
        const result = await work(lease);
        await lastWrite(locks.context, lease, result, () =>
          lease.complete(result, retainMs === undefined ? {} : { retainMs }),
        );
        outcome = { ran: true, result };
      },
      options.signal,
    );
  } catch (error) {
    // Once the result is stored the work is done: an abort, or a loss found before the store said so, comes too late.
    if (!outcome) throw error;
  }
  return outcome!;
}
