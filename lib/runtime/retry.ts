import { whenAborted } from './abort.js';
import type { Runtime } from './runtime.js';

/** How far apart tries are, in milliseconds. */
export interface Spacing {
  /** The shortest pause. */
  readonly firstPauseMs: number;
  /** The longest pause. */
  readonly maxPauseMs: number;
}

/**
 * Pauses that grow, by decorrelated jitter: those who wait for the same thing spread out, and stay spread out.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export class BackOff {
  readonly #runtime: Runtime;
  readonly #spacing: Spacing;
  #lastMs: number;

  constructor(runtime: Runtime, spacing: Spacing) {
    this.#runtime = runtime;
    this.#spacing = spacing;
    this.#lastMs = spacing.firstPauseMs;
  }

  /** The next pause, in milliseconds. */
  nextMs(): number {
    const { firstPauseMs, maxPauseMs } = this.#spacing;
    const spreadMs = this.#lastMs * 3 - firstPauseMs;
    this.#lastMs = Math.min(maxPauseMs, firstPauseMs + this.#runtime.random() * spreadMs);
    return this.#lastMs;
  }

  /** Something has changed: look closely again. */
  reset(): void {
    this.#lastMs = this.#spacing.firstPauseMs;
  }
}

/** When to try again, and how far apart. */
export interface RetryOptions extends Spacing {
  /** Whether another try may help after this error; it may throw an error of its own instead. */
  readonly mayPass: (error: unknown) => boolean;
  /** Tries in all. @default no end: `mayPass` says when it is enough */
  readonly maxTries?: number;
  /** Ends a pause at once, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether pauses may be cut off by the end of the process. @default false */
  readonly background?: boolean;
}

/**
 * Tries until it works.
 *
 * @throws the last error, once another try would not help; the signal's reason
 */
export async function retry<T>(
  runtime: Runtime,
  options: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const { mayPass, maxTries = Number.POSITIVE_INFINITY, signal, background = false } = options;
  const backOff = new BackOff(runtime, options);
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error) || tries >= maxTries) throw error;
    }
    await sleep(runtime, backOff.nextMs(), signal, { background });
  }
}

/**
 * Waits, and can be interrupted.
 *
 * @param delayMs how long, in milliseconds
 * @param signal ends the wait at once
 * @param options.background whether the wait may be cut off by the end of the process. @default false
 * @throws the signal's own reason when it aborts
 */
export function sleep(
  runtime: Runtime,
  delayMs: number,
  signal?: AbortSignal,
  options: { readonly background?: boolean } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const setTimer = options.background ? runtime.setTimer : runtime.setAwaitedTimer;
    const cancel = setTimer(() => {
      leave();
      resolve();
    }, delayMs);
    const leave = whenAborted(signal, () => {
      cancel();
      reject(signal?.reason);
    });
  });
}
