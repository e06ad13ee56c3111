import type { EventLoop } from './event-loop.js';

/** How a machine's clocks run. */
export interface ClockHabits {
  /** Local milliseconds that the monotonic clock shows for one true one. */
  readonly monotonicRate: number;
  readonly wallRate: number;
  /** How wrong the wall clock is set; no decision may rest on it. */
  readonly wallAheadMs: number;
}

/** The two clocks of one machine. What they show follows from true time, and what was done to them. */
export class LocalClocks {
  readonly #loop: EventLoop;
  readonly #habits: ClockHabits;
  readonly #startMs: number;
  #steppedMs = 0;
  #frozenMs = 0;
  #frozenSinceMs = 0;
  #frozenUntilMs = 0;

  constructor(loop: EventLoop, habits: ClockHabits) {
    this.#loop = loop;
    this.#habits = habits;
    this.#startMs = loop.nowMs;
  }

  /** Stands still in a freeze. */
  get monotonicMs(): number {
    const { nowMs } = this.#loop;
    const frozenMs = this.#frozenMs + Math.max(0, Math.min(nowMs, this.#frozenUntilMs) - this.#frozenSinceMs);
    return (nowMs - this.#startMs - frozenMs) * this.#habits.monotonicRate;
  }

  /** Runs on in a freeze. */
  get wallMs(): number {
    const { wallRate, wallAheadMs } = this.#habits;
    return this.#startMs + (this.#loop.nowMs - this.#startMs) * wallRate + wallAheadMs + this.#steppedMs;
  }

  /** True time that passes while the monotonic clock runs on for so long, if nothing more happens to it. */
  trueMsFor(monotonicMs: number): number {
    const frozenMs = Math.max(0, this.#frozenUntilMs - this.#loop.nowMs);
    return frozenMs + monotonicMs / this.#habits.monotonicRate;
  }

  /** Somebody sets the wall clock. */
  step(byMs: number): void {
    this.#steppedMs += byMs;
  }

  /** The monotonic clock stands still from now on for so long, true time. */
  freeze(forMs: number): void {
    this.#frozenMs += Math.max(0, Math.min(this.#loop.nowMs, this.#frozenUntilMs) - this.#frozenSinceMs);
    this.#frozenSinceMs = this.#loop.nowMs;
    this.#frozenUntilMs = this.#loop.nowMs + forMs;
  }
}
