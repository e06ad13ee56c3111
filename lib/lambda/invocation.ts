import { StoreError, UsageError } from '../errors/index.js';
import type { Lease } from '../lease/index.js';
import { deadlineAfter, type Runtime, retry, sendUntil } from '../runtime/index.js';

/** This part of the margin is kept for the answer itself; the rest is for giving the lease back. */
const partForAnswer = 1 / 4;

/** Before a release is repeated, in milliseconds; in all no longer than the answer can wait. */
const spacing = { firstPauseMs: 50, maxPauseMs: 1_000 };

/**
 * The end of one invocation, and what must be over before it:
 *
 *     ├──────────── work ────────────┼── give back ──┼─ answer ─┤ time-out: Lambda kills the process
 *                                    └────────── margin ────────┘
 */
export class InvocationEnd {
  readonly #context: RemainingTime;
  readonly #marginMs: number;

  /** @throws UsageError if it is not the context that Lambda hands to an ordinary handler */
  constructor(context: RemainingTime, marginMs: number) {
    if (typeof context?.getRemainingTimeInMillis !== 'function') {
      throw new UsageError(
        'context: has no getRemainingTimeInMillis; handlers that stream or suspend get others, use withLock inside those',
      );
    }
    this.#context = context;
    this.#marginMs = marginMs;
  }

  /** Until the lease must be over, in milliseconds; negative when that time has passed. */
  readonly leftMs = (): number => this.#context.getRemainingTimeInMillis() - this.#marginMs;

  /**
   * Runs what asks the store for a lease; when it has no answer by the time that the lease would have to be over, it is
   * given up.
   *
   * @throws StoreError then; else what `asking` throws
   */
  async whileAsking<T>(
    name: string,
    runtime: Runtime,
    asking: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = deadlineAfter(runtime, this.leftMs());
    try {
      return await asking(deadline.signal);
    } catch (error) {
      if (!deadline.expired()) throw error;
      const message = `Nothing was heard of lock "${name}" before the invocation's time was up`;
      throw new StoreError(message, name, { cause: error, retryable: true, mayHaveApplied: true });
    } finally {
      deadline.clear();
    }
  }

  /**
   * Waits for the work, but no longer than the lease: work that goes on is left to itself.
   *
   * @throws the work's own error; LockLostError when the lease is over and the work is not
   */
  whileHeld<T>(lease: Lease, runtime: Runtime, working: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let cancel = () => {};
      const watch = () => {
        cancel = runtime.setAwaitedTimer(
          () => {
            if (this.leftMs() > 0) return watch();
            // A lease that was released or completed is not lost: nobody waits for it, the work has all the time.
            if (lease.loss) reject(lease.loss);
          },
          Math.max(1, this.leftMs()),
        );
      };
      watch();
      working.then(resolve, reject).finally(() => cancel());
    });
  }

  /**
   * Gives the lease back, and waits for it as long as the answer can wait. What the store does not take for a moment is
   * repeated: in the background it would wait for the next invocation. Never throws.
   */
  async giveBack(lease: Lease, runtime: Runtime): Promise<void> {
    const untilAnswerMs = this.leftMs() + this.#marginMs * (1 - partForAnswer);
    const deadline = deadlineAfter(runtime, Math.max(1, untilAnswerMs));
    // A write of the work's own may stand before the release; that one is not waited for either.
    await sendUntil(deadline, (signal) => this.#release(lease, runtime, signal)).catch(() => {});
  }

  async #release(lease: Lease, runtime: Runtime, signal: AbortSignal): Promise<void> {
    const mayPass = (error: unknown) => error instanceof StoreError && error.retryable && !signal.aborted;
    try {
      await retry(runtime, { ...spacing, mayPass, signal }, () => lease.release(undefined, signal));
    } catch {
      // Once more, and told if it fails.
      await lease.giveBack(signal);
    }
  }
}

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the handlers need of the context that Lambda hands to each invocation. */
export interface RemainingTime {
  readonly getRemainingTimeInMillis: () => number;
  /** The function's own ARN; its account is the deployment's. */
  readonly invokedFunctionArn?: string;
}
