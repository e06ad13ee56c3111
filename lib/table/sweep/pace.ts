import { type Runtime, sleep } from '../../runtime/index.js';

/** Hands out turns, evenly spaced: at most so many a second, and none to catch up on after a pause. */
export class Pace {
  readonly #runtime: Runtime;
  readonly #spacingMs: number;
  #nextMs: number;

  constructor(runtime: Runtime, perSecond: number) {
    this.#runtime = runtime;
    this.#spacingMs = 1_000 / perSecond;
    this.#nextMs = runtime.monotonicMs();
  }

  /** Waits for the next turn. @throws the signal's own reason */
  async turn(signal?: AbortSignal): Promise<void> {
    const nowMs = this.#runtime.monotonicMs();
    const turnMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = turnMs + this.#spacingMs;
    if (turnMs > nowMs) await sleep(this.#runtime, turnMs - nowMs, signal);
  }
}
