import { type Runtime, systemRuntime } from '../../lib/runtime/index.js';

/**
 * The real runtime with local clocks that can be made to lie: a machine that was frozen, a wall clock that
 * stepped, a monotonic clock that stood still. Timers are real, and those that are still set are counted.
 */
export class LocalClocks implements Runtime {
  #monotonicAheadMs = 0;
  #wallAheadMs = 0;
  #timers = new Set<object>();

  readonly monotonicMs = (): number => systemRuntime.monotonicMs() + this.#monotonicAheadMs;
  readonly wallMs = (): number => systemRuntime.wallMs() + this.#wallAheadMs;
  readonly setTimer = (wake: () => void, delayMs: number) => this.#counted('setTimer', wake, delayMs);
  readonly setAwaitedTimer = (wake: () => void, delayMs: number) =>
    this.#counted('setAwaitedTimer', wake, delayMs);
  readonly randomId = systemRuntime.randomId;
  readonly random = systemRuntime.random;

  /** Timers that have neither fired nor been cancelled. */
  get liveTimers(): number {
    return this.#timers.size;
  }

  /** So much time passes on both clocks, and no timer fires for it. */
  pass(ms: number): void {
    this.#monotonicAheadMs += ms;
    this.#wallAheadMs += ms;
  }

  /** The wall clock is set anew; the monotonic clock does not notice. Also: a freeze that only the wall clock saw. */
  stepWall(ms: number): void {
    this.#wallAheadMs += ms;
  }

  /** The monotonic clock alone goes on. */
  stepMonotonic(ms: number): void {
    this.#monotonicAheadMs += ms;
  }

  #counted(kind: 'setTimer' | 'setAwaitedTimer', wake: () => void, delayMs: number): () => void {
    const timer = {};
    this.#timers.add(timer);
    const cancel = systemRuntime[kind](() => {
      this.#timers.delete(timer);
      wake();
    }, delayMs);
    return () => {
      this.#timers.delete(timer);
      cancel();
    };
  }
}
