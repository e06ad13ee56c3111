import { elapsedBetween, type LocalInstant, type StoreClock } from '../clock/index.js';
import { BackOff, type Runtime } from '../runtime/index.js';

/** How long a caller is willing to wait, and how its reads are spaced. */
export class WaitPacing {
  readonly #clock: StoreClock;
  readonly #since: LocalInstant;
  readonly #waitMs: number;
  readonly #backOff: BackOff;

  /** All in milliseconds. @param options.since when the wait began. @default now */
  constructor(
    clock: StoreClock,
    runtime: Runtime,
    options: {
      readonly waitMs: number;
      readonly pollFloorMs: number;
      readonly pollCeilingMs: number;
      readonly since?: LocalInstant;
    },
  ) {
    this.#clock = clock;
    this.#since = options.since ?? clock.instant();
    this.#waitMs = options.waitMs;
    this.#backOff = new BackOff(runtime, {
      firstPauseMs: options.pollFloorMs,
      maxPauseMs: options.pollCeilingMs,
    });
  }

  get waitedMs(): number {
    return elapsedBetween(this.#since, this.#clock.instant()).most;
  }

  get leftMs(): number {
    return Math.max(0, this.#waitMs - this.waitedMs);
  }

  /**
   * The next pause, never past the end of the holder's lease nor past the caller's own deadline.
   *
   * @param untilExpiryMs when the lock may be taken over, if the holder is known
   */
  nextDelayMs(untilExpiryMs = Number.POSITIVE_INFINITY): number {
    return Math.max(0, Math.min(this.#backOff.nextMs(), Math.max(1, untilExpiryMs), this.leftMs));
  }

  /** Somebody came and went: look closely again. */
  reset(): void {
    this.#backOff.reset();
  }
}
