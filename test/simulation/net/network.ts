import type { EventLoop } from '../world/event-loop.js';
import type { Random } from '../world/random.js';

/** How badly a network treats its packets; likelihoods and milliseconds. */
export interface NetworkHabits {
  readonly maxDelayMs: number;
  readonly requestLoss: number;
  readonly answerLoss: number;
  /** The request arrives once more, soon or long after. */
  readonly duplication: number;
  readonly latestDuplicateMs: number;
  readonly throttling: number;
  readonly internalErrors: number;
}

/** A network that works. */
export const calmNetwork: NetworkHabits = {
  maxDelayMs: 20,
  requestLoss: 0,
  answerLoss: 0,
  duplication: 0,
  latestDuplicateMs: 0,
  throttling: 0,
  internalErrors: 0,
};

/** What becomes of one request. */
export interface Fate {
  /** `undefined`: it never arrives. */
  readonly thereMs: number | undefined;
  /** `undefined`: the answer never arrives. */
  readonly backMs: number | undefined;
  /** The same request once more, so long after the first. */
  readonly againMs: number | undefined;
  readonly trouble: 'throttled' | 'failed-before' | 'failed-after' | undefined;
}

/** What is on its way: a request, the same once more, or an answer. */
export type Carried = 'request' | 'again' | 'answer';

/** The ways between the processes and the store, and who is cut off. */
export class Network {
  habits: NetworkHabits;
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #cutUntilMs = new Map<string, number>();

  constructor(loop: EventLoop, random: Random, habits: NetworkHabits) {
    this.#loop = loop;
    this.#random = random;
    this.habits = habits;
  }

  /** Nothing of this process gets through for so long, either way or in one direction only. */
  cut(process: string, way: 'there' | 'back', forMs: number): void {
    this.#cutUntilMs.set(`${process} ${way}`, this.#loop.nowMs + forMs);
  }

  isCut(process: string, way: 'there' | 'back'): boolean {
    return (this.#cutUntilMs.get(`${process} ${way}`) ?? 0) > this.#loop.nowMs;
  }

  get isCalm(): boolean {
    return this.habits === calmNetwork;
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.habits = calmNetwork;
    this.#cutUntilMs.clear();
  }

  /** Hands something over after so long, as a fate has it. */
  carry(_what: Carried, _process: string, delayMs: number, handOver: () => void, _fate: Fate): void {
    this.#loop.after(delayMs, handOver);
  }

  describeFate(process: string): Fate {
    const random = this.#random;
    const { habits } = this;
    const lost = this.isCut(process, 'there') || random.chance(habits.requestLoss);
    return {
      thereMs: lost ? undefined : this.#delayMs(),
      backMs: random.chance(habits.answerLoss) ? undefined : this.#delayMs(),
      againMs: random.chance(habits.duplication) ? random.spread(1, habits.latestDuplicateMs) : undefined,
      trouble: this.#trouble(),
    };
  }

  #trouble(): Fate['trouble'] {
    const { throttling, internalErrors } = this.habits;
    if (this.#random.chance(throttling)) return 'throttled';
    if (!this.#random.chance(internalErrors)) return undefined;
    return this.#random.chance(0.5) ? 'failed-before' : 'failed-after';
  }

  #delayMs(): number {
    return this.#random.spread(0.5, this.habits.maxDelayMs);
  }
}
