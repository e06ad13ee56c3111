import type { Runtime } from '../runtime/index.js';

/**
 * Store time lies in this interval, in milliseconds since the epoch.
 *
 * Where the store's front ends disagree each bound is true of one of them: the one furthest ahead shows `earliest` or
 * more, the one furthest behind `latest` or less. The two may then cross, by no more than `skewMs`.
 */
export interface TimeInterval {
  readonly earliest: number;
  readonly latest: number;
}

/** A reading of both local clocks, taken together. */
export interface LocalInstant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Store time as it was known at an instant. */
interface Known extends TimeInterval {
  readonly at: LocalInstant;
}

/** How far a local clock's rate may be off: 500 ppm, the bound that NTP assumes, too. */
export const driftBound = 500e-6;

/** How far the store's front ends may disagree about the time unless a client says otherwise, in milliseconds. */
export const defaultSkewMs = 500;

/** The `Date` header has whole seconds: the true value lies in the second that it names. */
const headerResolutionMs = 1000;

/**
 * The store's time, learned from the `Date` header of its responses (protocol, section 3).
 *
 * Every response proves an interval; intervals are moved forward by two local clocks and intersected, as
 * Marzullo's algorithm and TrueTime do. `earliest` moves by the smaller elapsed time and `latest` by the larger,
 * so a monotonic clock that stood still in a freeze, or a wall clock that stepped, only widens the interval.
 */
export class StoreClock {
  readonly #runtime: Runtime;
  readonly #skewMs: number;
  #known: Known | undefined;

  /** @param skewMs how far the store's front ends may disagree: responses that contradict each other by more are a jump */
  constructor(runtime: Runtime, skewMs: number = defaultSkewMs) {
    this.#runtime = runtime;
    this.#skewMs = skewMs;
  }

  /** Whether any response has been seen. Before that there is no store time. */
  get isSet(): boolean {
    return this.#known !== undefined;
  }

  /** Both local clocks, now: take it right before a request is sent and hand it to {@link observe}. */
  instant(): LocalInstant {
    return { monotonicMs: this.#runtime.monotonicMs(), wallMs: this.#runtime.wallMs() };
  }

  /**
   * Store time now.
   *
   * @throws Error before the first sample; callers make sure of one first
   */
  now(): TimeInterval {
    if (!this.#known) throw new Error('no store time before the first response');
    return movedForward(this.#known, this.instant());
  }

  /**
   * Takes in one response: sent at `sentAt`, received now, with this `Date` header.
   *
   * The header's second began at or before the response was made, and the response was made after the request
   * was sent: store time now lies in [D, D + 1000 + elapsed]. A header that is no date is ignored.
   */
  observe(sentAt: LocalInstant, dateHeader: string | undefined): void {
    // Of `undefined`, which is no date either, nothing is parsed.
    const date = Date.parse(dateHeader as string);
    if (Number.isFinite(date)) this.learn(sentAt, { earliest: date, latest: date + headerResolutionMs });
  }

  /**
   * Takes in what somebody else knew of the time when answering a request that was sent at `sentAt` and answered
   * until now: it was right at some moment in between.
   */
  learn(sentAt: LocalInstant, { earliest, latest }: TimeInterval): void {
    const receivedAt = this.instant();
    const { most } = elapsedBetween(sentAt, receivedAt);
    const proved = { earliest, latest: latest + most };
    const interval = this.#known
      ? intersected(movedForward(this.#known, receivedAt), proved, this.#skewMs)
      : proved;
    this.#known = { ...interval, at: receivedAt };
  }
}

/** `earliest` grows by the smaller elapsed time, `latest` by the larger, each widened by the drift bound. */
function movedForward({ earliest, latest, at }: Known, to: LocalInstant): TimeInterval {
  const { least, most } = elapsedBetween(at, to);
  return { earliest: earliest + least, latest: latest + most };
}

/**
 * The time that truly passed between two instants lies between these bounds.
 * A clock that stepped backwards counts as one that stood still: true time never runs backwards.
 */
export function elapsedBetween(
  from: LocalInstant,
  to: LocalInstant,
): { readonly least: number; readonly most: number } {
  const monotonic = Math.max(0, to.monotonicMs - from.monotonicMs);
  const wall = Math.max(0, to.wallMs - from.wallMs);
  return {
    // A clock that runs fast by the bound shows more than has passed, one that runs slow shows less.
    least: Math.min(monotonic, wall) / (1 + driftBound),
    most: Math.max(monotonic, wall) / (1 - driftBound),
  };
}

/**
 * What two true statements prove together. Of one front end they can't contradict each other; of two that disagree they
 * can, by as much as those do. Both bounds then stand, each true of its own front end: that is all the three rules ask
 * for. To give one up instead would let `latest` jump by more than a second, and end a short lease for nothing. If they
 * contradict each other by more a clock has jumped: the newest counts.
 */
function intersected(known: TimeInterval, newest: TimeInterval, skewMs: number): TimeInterval {
  const earliest = Math.max(known.earliest, newest.earliest);
  const latest = Math.min(known.latest, newest.latest);
  return earliest - latest <= skewMs ? { earliest, latest } : newest;
}
