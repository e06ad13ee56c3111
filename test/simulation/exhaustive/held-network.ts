import { type Carried, calmNetwork, type Fate, Network } from '../net/network.js';
import type { EventLoop } from '../world/event-loop.js';
import type { Random } from '../world/random.js';

/** A request, or its double, that has not arrived; when it does somebody else decides. */
export interface HeldMessage {
  readonly what: Exclude<Carried, 'answer'>;
  readonly process: string;
  readonly arrive: () => void;
  readonly fate: { trouble: Fate['trouble'] };
}

/** A network that holds what is sent until it is told what arrives next. Answers come as soon as they are made. */
export class HeldNetwork extends Network {
  #held: HeldMessage[] = [];
  readonly #delivered = new Set<unknown>();
  readonly #loop: EventLoop;
  /** Nothing is held: what is sent arrives at once. */
  isOpen = false;

  constructor(loop: EventLoop, random: Random) {
    super(loop, random, calmNetwork);
    this.#loop = loop;
  }

  /** In the order in which they were sent; a double only behind its first. */
  get held(): readonly HeldMessage[] {
    return this.#held.filter(({ what, fate }) => what === 'request' || this.#delivered.has(fate));
  }

  override describeFate(): Fate {
    return { thereMs: 0, backMs: 0, againMs: 0, trouble: undefined };
  }

  override carry(what: Carried, process: string, _delayMs: number, handOver: () => void, fate: Fate): void {
    if (what === 'answer') handOver();
    else if (this.isOpen && what === 'request') this.#loop.after(0, handOver);
    else if (!this.isOpen)
      this.#held.push({ what, process, arrive: handOver, fate: fate as HeldMessage['fate'] });
  }

  /** It arrives, whole or with the store's own trouble: then nothing is done, or nobody is told what was. */
  deliver(message: HeldMessage, trouble: Fate['trouble']): void {
    this.#held = this.#held.filter((one) => one !== message);
    this.#delivered.add(message.fate);
    message.fate.trouble = message.what === 'again' ? undefined : trouble;
    message.arrive();
  }

  /** Doubles that are left never come. */
  dropDoubles(): void {
    this.#held = this.#held.filter(({ what }) => what === 'request');
  }
}
