import type { Runtime } from '../../../lib/runtime/index.js';
import type { EventLoop } from './event-loop.js';
import { type ClockHabits, LocalClocks } from './local-clocks.js';
import type { Random } from './random.js';

/** Node fires a timer of less than a millisecond after one. */
const minTimerMs = 1;

/** Less is rounding: true time is a number with some thirteen digits before the point. */
const minLeftMs = 1e-3;

/**
 * One process: a `Runtime` for the production code, and what can happen to it. What a paused process would get
 * (timers, answers) comes when it goes on, in any order; a crashed one gets nothing any more.
 */
export class SimProcess {
  readonly id: string;
  readonly clocks: LocalClocks;
  readonly runtime: Runtime;
  /** Since when it has run without a pause, true time; after a freeze, until timers set before it are not late any more. */
  runningSinceMs: number;
  readonly #loop: EventLoop;
  readonly #random: Random;
  #pausedUntilMs = 0;
  #crashed = false;
  readonly #onCrash: (() => void)[] = [];
  readonly #onPause: ((untilMs: number) => void)[] = [];
  #ids = 0;

  constructor(loop: EventLoop, random: Random, id: string, habits: ClockHabits) {
    this.id = id;
    this.#loop = loop;
    this.#random = random;
    this.runningSinceMs = loop.nowMs;
    this.clocks = new LocalClocks(loop, habits);
    const setTimer = this.#setTimer.bind(this);
    this.runtime = {
      monotonicMs: () => this.clocks.monotonicMs,
      wallMs: () => this.clocks.wallMs,
      setTimer,
      setAwaitedTimer: setTimer,
      randomId: () => `${id}.${++this.#ids}`,
      random: () => random.next(),
    };
  }

  get isCrashed(): boolean {
    return this.#crashed;
  }

  /** Ids handed out so far. */
  get idsMade(): number {
    return this.#ids;
  }

  get isPaused(): boolean {
    return this.#loop.nowMs < this.#pausedUntilMs;
  }

  /** Ends it: no code of it runs any more. What it has sent is on its way. */
  crash(): void {
    if (this.#crashed) return;
    this.#crashed = true;
    for (const told of this.#onCrash) told();
  }

  /** Calls back when it crashes. */
  onCrash(told: () => void): void {
    this.#onCrash.push(told);
  }

  /** Calls back with its end when a pause begins. */
  onPause(told: (untilMs: number) => void): void {
    this.#onPause.push(told);
  }

  /** Nothing of it runs for so long, true time: SIGSTOP, a long collection, a machine that swaps. */
  pause(forMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#loop.nowMs + forMs);
    this.runningSinceMs = Math.max(this.runningSinceMs, this.#pausedUntilMs);
    for (const told of this.#onPause) told(this.#pausedUntilMs);
  }

  /** As {@link pause}, and the monotonic clock stands still: a frozen Lambda. */
  freeze(forMs: number): void {
    this.pause(forMs);
    const frozenMs = this.#pausedUntilMs - this.#loop.nowMs;
    this.clocks.freeze(frozenMs);
    this.runningSinceMs = Math.max(this.runningSinceMs, this.#pausedUntilMs + 1.1 * frozenMs);
  }

  /** Its own code computes for so long without letting go: it goes on before any timer or answer that was due. */
  block(forMs: number): Promise<void> {
    this.pause(forMs);
    return new Promise((resolve) => {
      const goOn = () => {
        const left = this.#pausedUntilMs - this.#loop.nowMs;
        if (left > minLeftMs) this.#loop.after(left, goOn);
        else if (!this.#crashed) resolve();
      };
      this.#loop.after(this.#pausedUntilMs - this.#loop.nowMs, goOn);
    });
  }

  /** Lets it sleep by its own monotonic clock, as its own code would. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.runtime.setTimer(resolve, delayMs));
  }

  /** Hands something in: now, or when it can take it. */
  deliver(run: () => void): void {
    if (this.#crashed) return;
    if (!this.isPaused) {
      run();
      return;
    }
    const lateMs = this.#random.between(0.01, 2);
    this.#loop.after(this.#pausedUntilMs - this.#loop.nowMs + lateMs, () => this.deliver(run));
  }

  #setTimer(wake: () => void, delayMs: number): () => void {
    const { clocks } = this;
    const wholeMs = Math.max(minTimerMs, Math.floor(delayMs));
    const dueMs = clocks.monotonicMs + wholeMs;
    let cancelled = false;
    const fire = () => {
      if (cancelled || this.#crashed) return;
      const leftMs = dueMs - clocks.monotonicMs;
      if (leftMs > minLeftMs) event = this.#loop.after(clocks.trueMsFor(leftMs), fire);
      else if (this.isPaused) this.deliver(fire);
      else {
        cancelled = true;
        wake();
      }
    };
    let event = this.#loop.after(clocks.trueMsFor(wholeMs), fire);
    return () => {
      cancelled = true;
      event.run = undefined;
    };
  }
}
