import type { HolderInfo } from '../errors/index.js';

/** A place at the head of a name's line; whoever has it may go to the store. */
export interface Turn {
  /** Tells those behind who it is that they wait for. */
  holder: (() => HolderInfo) | undefined;
  /** Gives the turn to the next in line. May be called more than once. */
  readonly leave: () => void;
}

/** The callers of one name. */
export interface Line {
  turn: Turn;
  /** Those behind it: each is told when its turn has come. */
  readonly waiters: ((turn: Turn) => void)[];
}

/**
 * Callers of one name in one process queue here, first come first served; only the head talks to the store,
 * which so never sees a process contend with itself. The turn lasts until its lease has ended. To wait for one is
 * loaded later (`contention.ts`).
 */
export class LocalQueue {
  readonly #lines = new Map<string, Line>();

  /** The turn, if nobody of this process is before the caller. */
  tryEnter(name: string): Turn | undefined {
    if (this.#lines.has(name)) return undefined;
    const turn = this.#turn(name);
    this.#lines.set(name, { turn, waiters: [] });
    return turn;
  }

  /** Who is there, where somebody is. */
  lineOf(name: string): Line | undefined {
    return this.#lines.get(name);
  }

  #turn(name: string): Turn {
    let over = false;
    return {
      holder: undefined,
      leave: () => {
        if (over) return;
        over = true;
        const line = this.#lines.get(name)!;
        const admit = line.waiters.shift();
        if (admit) {
          line.turn = this.#turn(name);
          admit(line.turn);
        } else this.#lines.delete(name);
      },
    };
  }
}
