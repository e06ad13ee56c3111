import type { Runtime } from '../../runtime/index.js';

/** The time that an invocation has, less a margin to give the slice back in. */
export class SeatTime {
  readonly #runtime: Runtime;
  readonly #remainingMs: (() => number) | undefined;
  readonly #marginMs: number;
  #longestPageMs = 0;

  /**
   * @param remainingMs until the invocation is cut off, in milliseconds; absent: no end
   * @param marginMs kept free at the end, in milliseconds
   */
  constructor(runtime: Runtime, remainingMs: (() => number) | undefined, marginMs: number) {
    this.#runtime = runtime;
    this.#remainingMs = remainingMs;
    this.#marginMs = marginMs;
  }

  /** Until work must stop, in milliseconds; `Infinity` without an end. */
  get leftMs(): number {
    return this.#remainingMs ? this.#remainingMs() - this.#marginMs : Number.POSITIVE_INFINITY;
  }

  /** Until the invocation is cut off, in milliseconds. */
  get remainingMs(): number {
    return this.#remainingMs?.() ?? Number.POSITIVE_INFINITY;
  }

  /** Whether there is no time for another page, going by the longest so far. */
  get isShort(): boolean {
    return this.leftMs <= this.#longestPageMs;
  }

  /** Measures a page. */
  async measured<T>(work: () => Promise<T>): Promise<T> {
    const startMs = this.#runtime.monotonicMs();
    try {
      return await work();
    } finally {
      this.#longestPageMs = Math.max(this.#longestPageMs, this.#runtime.monotonicMs() - startMs);
    }
  }
}
