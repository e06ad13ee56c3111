import type { EventLoop } from '../world/event-loop.js';
import type { Random } from '../world/random.js';

/** The store's front ends: each has a clock of its own, and the `Date` of its answers is in whole seconds. */
export class FrontEnds {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #aheadMs: readonly number[];

  /** @param aheadMs how far each clock is ahead of true time; the assumption is on how far they lie apart */
  constructor(loop: EventLoop, random: Random, aheadMs: readonly number[]) {
    this.#loop = loop;
    this.#random = random;
    this.#aheadMs = aheadMs;
  }

  /** The `Date` of an answer that one of them gives now. */
  date(): string {
    const ms = this.#loop.nowMs + this.#random.pick(this.#aheadMs);
    return toText(Math.floor(ms / 1000));
  }
}

/** Two front ends may be on both sides of a second. */
const recent: { second: number; text: string }[] = [
  { second: 0, text: '' },
  { second: 0, text: '' },
];

function toText(second: number): string {
  const known = recent[second & 1]!;
  if (known.second !== second) {
    known.second = second;
    known.text = new Date(second * 1000).toUTCString();
  }
  return known.text;
}
