import { elapsedBetween, type LocalInstant, type StoreClock } from '../clock/store-clock.js';
import type { Runtime } from '../runtime/index.js';

/** Of a hold that has lasted so long about so much more of it is missed at most. */
const partOfAge = 0.185;

/** Of the time between changes of hands, where a waiter has seen several: so far apart its looks are. */
const partOfHold = 0.3;

/** But at most so many times the shortest pause. */
const maxOftenFactor = 5;

/** How long a caller is willing to wait, and how its reads are spaced. */
export class WaitPacing {
  readonly #clock: StoreClock;
  readonly #since: LocalInstant;
  readonly #waitMs: number;
  readonly #runtime: Runtime;
  readonly #minMs: number;
  readonly #maxMs: number;
  /** When it was last seen to change hands, and how long it had been so by then. */
  #changedAt: LocalInstant;
  #ageMs = 0;
  #changes = 0;
  #heldMs = 0;

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
    this.#runtime = runtime;
    this.#changedAt = this.#since;
    this.#minMs = options.pollFloorMs;
    this.#maxMs = options.pollCeilingMs;
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
    const ageMs = this.#ageMs + elapsedBetween(this.#changedAt, this.#clock.instant()).least;
    const { random } = this.#runtime;
    const closeMs = Math.max(ageMs * partOfAge * (0.8 + 0.4 * random()), this.#minMs * (1 + 2 * random()));
    const oftenMs = Math.min(this.#heldMs * partOfHold, maxOftenFactor * this.#minMs) * (0.5 + random());
    const pauseMs = Math.min(Math.max(closeMs, oftenMs), this.#maxMs);
    return Math.max(0, Math.min(pauseMs, Math.max(1, untilExpiryMs), this.leftMs));
  }

  /**
   * Somebody came and went: look closely again, but not where that happens all the time: many wait then.
   *
   * @param ageMs so long ago, in milliseconds. @default now
   */
  reset(ageMs = 0): void {
    const now = this.#clock.instant();
    const heldMs = elapsedBetween(this.#changedAt, now).least;
    this.#changedAt = now;
    // Of the first that was seen nobody knows since when it was so.
    if (this.#changes > 0) this.#heldMs = this.#changes === 1 ? heldMs : (this.#heldMs + heldMs) / 2;
    this.#changes += 1;
    this.#ageMs = ageMs;
  }
}
