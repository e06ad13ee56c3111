import type { HolderInfo } from '../errors/index.js';
import { type Runtime, whenAborted } from '../runtime/index.js';

/** A place at the head of a name's line; whoever has it may go to the store. */
export interface Turn {
  /** Tells those behind who it is that they wait for. */
  holder: (() => HolderInfo) | undefined;
  /** Gives the turn to the next in line. May be called more than once. */
  readonly leave: () => void;
}

interface Waiter {
  readonly admit: () => void;
}

/**
 * Callers of one name in one process queue here, first come first served; only the head talks to the store,
 * which so never sees a process contend with itself. The turn lasts until its lease has ended.
 */
export class LocalQueue {
  readonly #runtime: Runtime;
  readonly #lines = new Map<string, { turn: Turn; readonly waiters: Waiter[] }>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The turn, if nobody of this process is before the caller. */
  tryEnter(name: string): Turn | undefined {
    if (this.#lines.has(name)) return undefined;
    const turn = this.#turn(name);
    this.#lines.set(name, { turn, waiters: [] });
    return turn;
  }

  /**
   * Waits for the turn.
   *
   * @param waitMs how long at most, in milliseconds
   * @returns `undefined` when the time ran out
   * @throws the signal's reason when it aborts
   */
  enter(name: string, waitMs: number, signal?: AbortSignal): Promise<Turn | undefined> {
    const free = this.tryEnter(name);
    if (free || waitMs <= 0) return Promise.resolve(free);
    const line = this.#lines.get(name)!;
    return new Promise((resolve, reject) => {
      const settle = () => {
        cancel();
        leave();
      };
      const waiter: Waiter = {
        admit: () => {
          settle();
          line.turn = this.#turn(name);
          resolve(line.turn);
        },
      };
      const giveUp = () => {
        settle();
        line.waiters.splice(line.waiters.indexOf(waiter), 1);
      };
      const cancel = this.#runtime.setAwaitedTimer(() => {
        giveUp();
        resolve(undefined);
      }, waitMs);
      const leave = whenAborted(signal, () => {
        giveUp();
        reject(signal?.reason);
      });
      line.waiters.push(waiter);
    });
  }

  /** Who of this process has the name's turn, if it holds a lease. */
  toHolder(name: string): HolderInfo | undefined {
    return this.#lines.get(name)?.turn.holder?.();
  }

  #turn(name: string): Turn {
    let over = false;
    return {
      holder: undefined,
      leave: () => {
        if (over) return;
        over = true;
        const next = this.#lines.get(name)?.waiters.shift();
        if (next) next.admit();
        else this.#lines.delete(name);
      },
    };
  }
}
