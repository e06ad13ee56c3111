import type { Runtime } from '../runtime/index.js';

/** Store time lies in this interval, in milliseconds since the epoch. */
export interface TimeInterval {
  readonly earliest: number;
  readonly latest: number;
}

/** A reading of both local clocks, taken together. */
export interface LocalInstant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** How far a local clock's rate may be off: 500 ppm, the bound that NTP assumes, too. */
export const driftBound = 500e-6;

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
  #known: { readonly interval: TimeInterval; readonly at: LocalInstant } | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
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
    return movedForward(this.#known.interval, this.#known.at, this.instant());
  }

  /**
   * Takes in one response: sent at `sentAt`, received now, with this `Date` header.
   *
   * The header's second began at or before the response was made, and the response was made after the request
   * was sent: store time now lies in [D, D + 1000 + elapsed]. A header that is no date is ignored.
   */
  observe(sentAt: LocalInstant, dateHeader: string | undefined): void {
    const date = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (!Number.isFinite(date)) return;
    const receivedAt = this.instant();
    const { most } = elapsedBetween(sentAt, receivedAt);
    const proved = { earliest: date, latest: date + headerResolutionMs + most };
    this.#known = { interval: this.#known ? intersected(this.now(), proved) : proved, at: receivedAt };
  }
}

/** `earliest` grows by the smaller elapsed time, `latest` by the larger, each widened by the drift bound. */
function movedForward(interval: TimeInterval, from: LocalInstant, to: LocalInstant): TimeInterval {
  const { least, most } = elapsedBetween(from, to);
  return { earliest: interval.earliest + least, latest: interval.latest + most };
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

/** What two true statements prove together. If they contradict each other a clock has jumped: the newest counts. */
function intersected(known: TimeInterval, newest: TimeInterval): TimeInterval {
  const earliest = Math.max(known.earliest, newest.earliest);
  const latest = Math.min(known.latest, newest.latest);
  return earliest <= latest ? { earliest, latest } : newest;
}
