import { elapsedBetween, type LocalInstant, type StoreClock } from '../clock/index.js';
import type { Runtime } from '../runtime/index.js';

/** How long a caller is willing to wait, and how its reads are spaced. */
export class BackOff {
  readonly #clock: StoreClock;
  readonly #runtime: Runtime;
  readonly #since: LocalInstant;
  readonly #waitMs: number;
  readonly #floorMs: number;
  readonly #ceilingMs: number;
  #lastDelayMs: number;

  /** Starts now; all in milliseconds. */
  constructor(
    clock: StoreClock,
    runtime: Runtime,
    options: { readonly waitMs: number; readonly pollFloorMs: number; readonly pollCeilingMs: number },
  ) {
    this.#clock = clock;
    this.#runtime = runtime;
    this.#since = clock.instant();
    this.#waitMs = options.waitMs;
    this.#floorMs = options.pollFloorMs;
    this.#ceilingMs = options.pollCeilingMs;
    this.#lastDelayMs = options.pollFloorMs;
  }

  get waitedMs(): number {
    return elapsedBetween(this.#since, this.#clock.instant()).most;
  }

  get leftMs(): number {
    return Math.max(0, this.#waitMs - this.waitedMs);
  }

  /**
   * The next pause: decorrelated jitter, so that waiters spread out and stay spread out, but never past the end
   * of the holder's lease nor past the caller's own deadline.
   *
   * @param untilExpiryMs when the lock may be taken over, if the holder is known
   * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
   */
  nextDelayMs(untilExpiryMs = Number.POSITIVE_INFINITY): number {
    const spread = this.#lastDelayMs * 3 - this.#floorMs;
    this.#lastDelayMs = Math.min(this.#ceilingMs, this.#floorMs + this.#runtime.random() * spread);
    return Math.max(0, Math.min(this.#lastDelayMs, Math.max(1, untilExpiryMs), this.leftMs));
  }

  /** Somebody came and went: look closely again. */
  reset(): void {
    this.#lastDelayMs = this.#floorMs;
  }
}
