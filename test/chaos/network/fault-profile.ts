import { setTimeout as sleep } from 'node:timers/promises';
import { machineMs } from '../machine-clock.js';

/** Which way a chunk travels. */
export type Direction = 'request' | 'answer';

/**
 * What happens to what passes by:
 *
 * - `pass`: nothing.
 * - `drop`: lost, both ways.
 * - `hang`: held back until the faultProfile changes, then let through: requests arrive late, also those of clients
 *   that have given up.
 * - `delay`: each chunk comes so much later, on the same terms.
 * - `reset`: the connection is reset.
 * - `swallow`: requests pass, answers are lost.
 */
export type FaultProfileKind = 'pass' | 'drop' | 'hang' | 'delay' | 'reset' | 'swallow';

/** What becomes of one chunk. */
export type Fate = 'through' | 'lost' | 'reset';

/** The faultProfile over some connections; it changes while they last. */
export class FaultProfile {
  #kind: FaultProfileKind = 'pass';
  #delayMs = 0;
  #wakeWaiting: (() => void)[] = [];

  get kind(): FaultProfileKind {
    return this.#kind;
  }

  /** @param delayMs for `delay`: of each chunk, in milliseconds */
  become(kind: FaultProfileKind, delayMs = 0): void {
    this.#kind = kind;
    this.#delayMs = delayMs;
    const waiting = this.#wakeWaiting;
    this.#wakeWaiting = [];
    for (const wake of waiting) wake();
  }

  /** Waits as long as a chunk has to, and decides. */
  async describeFate(direction: Direction, arrivedAtMs: number): Promise<Fate> {
    for (;;) {
      switch (this.#kind) {
        case 'pass':
          return 'through';
        case 'drop':
          return 'lost';
        case 'reset':
          return 'reset';
        case 'swallow':
          return direction === 'answer' ? 'lost' : 'through';
        case 'delay':
          await sleep(Math.max(0, arrivedAtMs + this.#delayMs - machineMs()));
          return 'through';
        case 'hang':
          await new Promise<void>((wake) => this.#wakeWaiting.push(wake));
      }
    }
  }
}
