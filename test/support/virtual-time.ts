import { type Runtime, systemRuntime } from '../../lib/runtime/index.js';

/** Time that passes only when told to, and then at once: hours of heartbeats in a blink. */
export class VirtualTime implements Runtime {
  #now = 1_700_000_000_000;
  #timers = new Set<{ readonly at: number; readonly wake: () => void }>();

  readonly monotonicMs = (): number => this.#now;
  readonly wallMs = (): number => this.#now;
  readonly setTimer = (wake: () => void, delayMs: number) => this.#set(wake, delayMs);
  readonly setAwaitedTimer = (wake: () => void, delayMs: number) => this.#set(wake, delayMs);
  readonly randomId = systemRuntime.randomId;
  readonly random = () => 0.5;

  /** Timers that have not fired. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Lets so much time pass, and everything happen that is due in it, in order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.wake();
    }
    this.#now = end;
  }

  /** Lets time pass until the promise is settled, at most an hour. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let pending = true;
    promise
      .catch(() => {})
      .finally(() => {
        pending = false;
      });
    for (let ms = 0; pending && ms < 3_600_000; ms += 10) await this.pass(10);
    return promise;
  }

  #set(wake: () => void, delayMs: number): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), wake };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }
}

/** All that needs no time has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
