import { systemRuntime } from '../../lib/index.js';
import type { Runtime } from '../../lib/runtime/index.js';

/** Two local clocks that move only by hand, and timers that never fire: for properties of pure time. */
export class HandClocks implements Runtime {
  #monotonic = 1_000;
  #wall: number;

  /** @param wallMs the wall clock's setting, which must not matter */
  constructor(wallMs = 0) {
    this.#wall = wallMs;
  }

  readonly monotonicMs = (): number => this.#monotonic;
  readonly wallMs = (): number => this.#wall;
  readonly setTimer = () => () => {};
  readonly setAwaitedTimer = () => () => {};
  readonly randomId = systemRuntime.randomId;
  readonly random = () => 0.5;

  /** Moves each clock by its own amount. */
  move(monotonicMs: number, wallMs: number): void {
    this.#monotonic += monotonicMs;
    this.#wall += wallMs;
  }
}

/** The `Date` header of a response that is made at this store time. */
export function dateAt(storeMs: number): string {
  return new Date(Math.floor(storeMs / 1000) * 1000).toUTCString();
}
