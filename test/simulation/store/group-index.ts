import type { EventLoop } from '../world/event-loop.js';
import type { Random } from '../world/random.js';
import { orderOfText } from './attribute-values.js';

/** The index over `group`: what it shows lags behind the table, for each item by as much as chance will have it. */
export class GroupIndex {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #maxLagMs: number;
  readonly #groups = new Map<string, Map<string, { fromMs: number; untilMs: number }>>();

  constructor(loop: EventLoop, random: Random, maxLagMs: number) {
    this.#loop = loop;
    this.#random = random;
    this.#maxLagMs = maxLagMs;
  }

  /** The item was written. */
  add(group: string, name: string): void {
    const members = this.#groups.get(group) ?? new Map();
    this.#groups.set(group, members);
    const known = members.get(name);
    if (known && known.untilMs === Number.POSITIVE_INFINITY) return;
    members.set(name, { fromMs: this.#laterMs(), untilMs: Number.POSITIVE_INFINITY });
  }

  /** The item was deleted. */
  remove(group: string, name: string): void {
    const known = this.#groups.get(group)?.get(name);
    if (known) known.untilMs = this.#laterMs();
  }

  /** What a query would answer now, in order. */
  namesIn(group: string): string[] {
    const { nowMs } = this.#loop;
    return [...(this.#groups.get(group) ?? [])]
      .filter(([, { fromMs, untilMs }]) => fromMs <= nowMs && nowMs < untilMs)
      .map(([name]) => name)
      .sort(orderOfText);
  }

  #laterMs(): number {
    return this.#loop.nowMs + this.#random.between(0, this.#maxLagMs);
  }
}
