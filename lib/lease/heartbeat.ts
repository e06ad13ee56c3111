import type { Runtime } from '../runtime/index.js';

/** What has a heartbeat. */
export interface Beating {
  readonly settings: { readonly renewEveryMs: number };
  /** Time until the lease must be given up, in milliseconds, computed from the clocks at the call. */
  readonly term: { readonly dangerInMs: number };
  /** Renews once; answers whether it worked, never throws. */
  beat(signal: AbortSignal): Promise<boolean>;
  /** Called when there is no time left. */
  expire(): void;
}

/** A failed renewal is tried again this much sooner than the regular one. */
const retryFraction = 1 / 4;

/** One for all: there may be a thousand leases. */
const nothing = () => {};

/** Heartbeats that have not been stopped. */
const beating = new WeakMap<Runtime, number>();

/**
 * Leases that a process takes together would be renewed together, a thousand in one second, and throttle each other. Each
 * further one begins elsewhere in the cadence: multiples of the golden ratio fill it evenly, however many there are. A lease
 * that is held alone has all of its first cadence.
 */
const goldenRatio = (Math.sqrt(5) - 1) / 2;
const maxHeadStart = 2 / 3;

/**
 * Two timers of one lease: the next renewal, and the moment at which it must be given up. Both are unref'd and
 * gone after {@link stop}; a renewal in flight is aborted by it.
 */
export class Heartbeat {
  readonly #runtime: Runtime;
  readonly #lease: Beating;
  #cancelBeat = nothing;
  #cancelDanger = nothing;
  #inFlight: AbortController | undefined;
  #stopped = false;
  /** The first renewal comes by this part of the cadence sooner; the others follow in step. */
  #headStart: number;

  constructor(runtime: Runtime, lease: Beating) {
    this.#runtime = runtime;
    this.#lease = lease;
    const others = beating.get(runtime) ?? 0;
    beating.set(runtime, others + 1);
    this.#headStart = ((others * goldenRatio) % 1) * maxHeadStart;
  }

  /**
   * Counts anew from now: after the grant, after every renewal, also one that was asked for. The danger is watched
   * from the first beat on, which comes well before it, unless the lease ends before there is a beat.
   */
  start(): void {
    if (this.#stopped) return;
    const { settings, term } = this.#lease;
    this.#beatIn(settings.renewEveryMs * (1 - this.#headStart));
    this.#headStart = 0;
    if (term.dangerInMs <= settings.renewEveryMs) this.#watchForDanger();
    else this.#cancelDanger();
  }

  /** No renewal until the next {@link start}; the danger is watched. */
  pause(): void {
    this.#cancelBeat();
    this.#watchForDanger();
  }

  /** For good: no timer, no request afterwards. */
  stop(): void {
    if (!this.#stopped) beating.set(this.#runtime, beating.get(this.#runtime)! - 1);
    this.#stopped = true;
    this.#cancelBeat();
    this.#cancelDanger();
    this.#inFlight?.abort(new DOMException('the lease has ended', 'AbortError'));
  }

  #beatIn(delayMs: number): void {
    this.#cancelBeat();
    this.#cancelBeat = this.#runtime.setTimer(() => void this.#beat(), delayMs);
  }

  async #beat(): Promise<void> {
    if (this.#inFlight) return;
    this.#watchForDanger();
    const inFlight = new AbortController();
    this.#inFlight = inFlight;
    const renewed = await this.#lease.beat(inFlight.signal);
    this.#inFlight = undefined;
    if (renewed || this.#stopped) return;
    // Jitter keeps the leases of one process from trying again all at once.
    this.#beatIn(this.#lease.settings.renewEveryMs * retryFraction * (0.5 + this.#runtime.random() / 2));
  }

  #watchForDanger(): void {
    this.#cancelDanger();
    this.#cancelDanger = this.#runtime.setTimer(
      () => {
        // The timer may have fired early against the store's clock: the clocks decide.
        if (this.#lease.term.dangerInMs <= 0) this.#lease.expire();
        else this.#watchForDanger();
      },
      Math.max(1, this.#lease.term.dangerInMs),
    );
  }
}
