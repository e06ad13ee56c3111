import { AlreadyCompletedError, notRecordedMark, StoreError, UsageError } from '../errors/index.js';
import { checkNumber } from '../lease/check-options.js';
import type { Lease } from '../lease/index.js';
import type { AcquireOptions } from './acquire-options.js';
import type { ClientHost } from './client-host.js';
import { defaults } from './client-options.js';
import { lastWrite } from './last-write.js';
import { runUnder } from './with-lock.js';

/** How to do something once, and how long to remember it. */
export interface OnceOptions extends Omit<AcquireOptions, 'change' | 'giveUpWhen'> {
  /**
   * How long the result is kept after the work is done, in milliseconds, at least a day (protocol, section 2).
   * Afterwards DynamoDB's Time to Live removes it, in its own time, and the work may run again.
   *
   * @default for good
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
 * See `LockClient.once`. Two writes: the grant, and the completion that stores the result. A caller that finds
 * the work done costs one.
 */
export async function once<T>(
  locks: ClientHost,
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
    if (!(error instanceof AlreadyCompletedError) || error.notRecorded !== undefined) throw error;
    return { ran: false, result: error.result as T };
  }
  let outcome: OnceOutcome<T> | undefined;
  let notRecorded: AlreadyCompletedError | undefined;
  try {
    await runUnder(lease, async () => {
      const result = await work(lease);
      const keep = retainMs === undefined ? {} : { retainMs };
      const complete = (stored: unknown) =>
        lastWrite(locks.context, lease, result, () => lease.complete(stored, keep));
      try {
        await complete(result);
      } catch (error) {
        const why = lease.isHeld ? findWhyNotStored(error) : undefined;
        if (why === undefined) throw error;
        // The work can't be undone: it is done, and not done again, whatever became of its result.
        await complete(notRecordedMark(why));
        const completedAt = locks.context.clock.now().latest;
        notRecorded = new AlreadyCompletedError(name, result, completedAt, {
          cause: error,
          notRecorded: why,
        });
      }
      outcome = { ran: true, result };
    });
  } catch (error) {
    // Once the result is stored the work is done: a loss found before the store said so comes too late.
    if (!outcome) throw error;
  }
  if (notRecorded) throw notRecorded;
  return outcome!;
}

/** Why a result can't be stored as it is; `undefined` where it is something else that went wrong. */
function findWhyNotStored(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message;
  // Together with what else is in the item it is too large, or of a form that the store does not take.
  const refused = error instanceof StoreError && !error.retryable && !error.mayHaveApplied;
  return refused && (error.cause as Error | undefined)?.name === 'ValidationException'
    ? error.message
    : undefined;
}
