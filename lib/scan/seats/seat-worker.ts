import type { S3Client } from '@aws-sdk/client-s3';
import type { LockClient } from '../../client/index.js';
import { ensureStoreTime, type Lease } from '../../lease/index.js';
import { sleep } from '../../runtime/index.js';
import { checkCall } from '../check-call.js';
import { checkMilliseconds, checkWholeNumber } from '../check-number.js';
import type { Processor } from '../results/processor.js';
import { isPassing, takeable } from '../slices/scan-conditions.js';

import { checkRun } from '../slices/scan-run.js';
import { sliceGroup } from '../slices/slice.js';
import { Thief } from '../steal/thief.js';
import { publishScan } from './scan-events.js';
import { type SeatHost, SeatTime, seatOwner } from './seat-host.js';

import { endOfSlice } from './slice-end.js';
import { type Candidate, SliceSearch } from './slice-search.js';
import { SliceWork } from './slice-work.js';

/** One worker of a run. */
export interface SeatOptions {
  readonly locks: LockClient;
  readonly s3: Pick<S3Client, 'send'>;
  readonly run: string;
  /** From 0. Seat i begins with slice i; the same seat again supersedes its earlier lease. */
  readonly seat: number;
  // biome-ignore lint/suspicious/noExplicitAny: its partial result is the processor's own business
  readonly processor: Processor<any>;
  /** Until the invocation is cut off, in milliseconds. @default no end */
  readonly remainingMs?: () => number;
  /** Kept free before that, in milliseconds. @default 5,000 */
  readonly marginMs?: number;
  /** The end of one page, in milliseconds. @default 15 minutes */
  readonly pageTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const takes = {
  ...{ locks: true, s3: true, run: true, seat: true, processor: true },
  ...{ remainingMs: false, marginMs: false, pageTimeoutMs: false, signal: false },
} satisfies Record<keyof SeatOptions, boolean>;

/** What a seat did. A JSON value. `pages` and `objects` are those that were done under leases that it kept. */
export interface SeatAnswer {
  readonly run: string;
  readonly seat: number;
  /** `more`: out of time, call again. `superseded`: a later instance of the same seat goes on. */
  readonly status: 'done' | 'more' | 'superseded';
  readonly pages: number;
  readonly objects: number;
  /** Slices completed. */
  readonly slices: number;
  readonly takeovers: number;
  /** Slices lost to others. */
  readonly lost: number;
  /** Slices of others that it split. */
  readonly splits: number;
  /** Milliseconds that it held a slice. */
  readonly busyMs: number;
  /** Milliseconds from its start. */
  readonly tookMs: number;
  readonly listRequests: number;
}

/**
 * Looks are between these apart, in milliseconds, while nothing is free and nothing worth splitting; the long one is for
 * slices of which none moves on, as with pages that take minutes, and for a seat that only waits for others.
 */
const pollFloorMs = 40;
const pollCeilingMs = 400;
const stillCeilingMs = 3_000;

/** Looks in a row that find nothing left to steal before the seat ends: a guess may be wrong, a slice grow. */
const maxEmptyLooks = 4;

/** Looks in a row that the store does not answer before the seat gives up. */
const maxFailedLooks = 8;

/**
 * Works on a run's slices, one after the other: takes any that is free or whose holder's lease has run out, beginning
 * where the holder stopped; while others hold the rest it splits what they have most of left. In the first round it ends
 * when nothing is left that is worth a split: what others may still leave behind is for the round that `verifyScan` asks
 * for. In that one it stays until nobody holds anything any more.
 *
 * @throws UsageError for a run that was never planned, or an S3 that can't be scanned; StoreError; the signal's
 *   reason. The slice at hand is given back first.
 */
export async function workSeat(options: SeatOptions): Promise<SeatAnswer> {
  checkCall('workSeat', options, takes);
  try {
    return await (await Seat.open(options)).work();
  } catch (error) {
    // Whatever failed: whoever has given up hears so.
    options.signal?.throwIfAborted();
    throw error;
  }
}

class Seat {
  readonly #locks: LockClient;
  readonly #host: SeatHost;
  readonly #search: SliceSearch;
  readonly #thief: Thief;
  readonly #startedMs: number;
  readonly #counts = {
    pages: 0,
    objects: 0,
    slices: 0,
    takeovers: 0,
    lost: 0,
    listRequests: 0,
    splits: 0,
    busyMs: 0,
  };
  #pauseMs = pollFloorMs;
  #emptyLooks = 0;
  #progressSum = -1;
  #isStill = false;
  #hasWorked = false;

  static async open(options: SeatOptions): Promise<Seat> {
    const { locks, s3, run, seat, processor, signal, marginMs = 5_000 } = options;
    const { pageTimeoutMs = 15 * 60_000, remainingMs } = options;
    checkWholeNumber('seat', seat, 0);
    checkMilliseconds('marginMs', marginMs, 0);
    checkMilliseconds('pageTimeoutMs', pageTimeoutMs, 1);
    if (remainingMs) checkMilliseconds('remainingMs()', remainingMs(), Number.NEGATIVE_INFINITY);
    if (processor.inlineBytes !== undefined) checkWholeNumber('inlineBytes', processor.inlineBytes, 0);
    const { context } = locks;
    await ensureStoreTime(context, signal);
    return new Seat(locks, {
      context,
      s3,
      run: await checkRun(context, run, signal),
      seat,
      processor,
      time: new SeatTime(context.runtime, remainingMs, marginMs),
      pageTimeoutMs,
      signal,
    });
  }

  constructor(locks: LockClient, host: SeatHost) {
    this.#locks = locks;
    this.#host = host;
    this.#thief = new Thief(host);
    this.#search = new SliceSearch(host, host.context.clock.now(), (slice) => this.#thief.sees(slice));
    this.#startedMs = host.context.runtime.monotonicMs();
  }

  async work(): Promise<SeatAnswer> {
    const { signal, time } = this.#host;
    let lease = await this.#firstOf(this.#search.first());
    for (let failedLooks = 0; ; ) {
      signal?.throwIfAborted();
      if (lease) {
        const end = await this.#workOn(lease);
        if (end !== undefined) return this.#answer(end);
        lease = undefined;
      }
      if (time.isShort) return this.#answer('more');
      try {
        lease = await this.#firstOf(this.#search.free());
        const hasEnded = !lease && this.#search.readAll && this.#search.unfinished === 0;
        if (hasEnded) return this.#answer('done');
        if (!lease && !time.isShort) {
          const { stolen, mayComeUp } = await this.#thief.steal(this.#search.held);
          if (stolen !== undefined) {
            this.#counts.splits += 1;
            lease = await this.#firstOf(this.#search.one(stolen));
          } else if (this.#mayEnd(mayComeUp)) return this.#answer('done');
          if (stolen !== undefined && !lease) continue;
        }
        failedLooks = 0;
      } catch (error) {
        // Throttling and 5xx while waiting are part of waiting.
        if (!isPassing(error) || ++failedLooks >= maxFailedLooks) throw error;
        await this.#pause();
        continue;
      }
      if (lease) {
        this.#pauseMs = pollFloorMs;
        this.#emptyLooks = 0;
      } else await this.#pause();
    }
  }

  /** Whether there is nothing left to wait for, after a look that found nothing to take and nothing to split. */
  #mayEnd(mayComeUp: boolean): boolean {
    const { readAll, unfinished, held, progressSum } = this.#search;
    this.#isStill = progressSum === this.#progressSum;
    this.#progressSum = progressSum;
    // Something free that somebody else got first, or a child that was just made.
    if (!readAll || unfinished > held.length || mayComeUp) {
      this.#emptyLooks = 0;
      return false;
    }
    // A seat that has had no slice yet stays for one of which nobody moves on.
    if (this.#isStill && !this.#hasWorked) return false;
    this.#emptyLooks += 1;
    // A later round comes for what others leave: it lasts as long as they hold anything, or it would count for nothing.
    return this.#host.run.rounds === 0 && this.#emptyLooks >= maxEmptyLooks;
  }

  async #workOn(lease: Lease): Promise<'more' | 'superseded' | undefined> {
    const counts = this.#counts;
    if (lease.takenOverFrom) counts.takeovers += 1;
    this.#hasWorked = true;
    const work = new SliceWork(this.#host, lease);
    const { runtime } = this.#host.context;
    const sinceMs = runtime.monotonicMs();
    try {
      const end = await endOfSlice(this.#host, work);
      if (end === 'completed') counts.slices += 1;
      if (end === 'lost' || end === 'superseded') counts.lost += 1;
      // A slice that failed is tried again, but not at once.
      if (end === 'failed') await this.#pause();
      if (end === 'superseded') return end;
      return end === 'out-of-time' ? 'more' : undefined;
    } finally {
      counts.busyMs += runtime.monotonicMs() - sinceMs;
      counts.pages += work.pages;
      counts.objects += work.objects;
      counts.listRequests += work.listRequests;
    }
  }

  async #firstOf(candidates: AsyncGenerator<Candidate>): Promise<Lease | undefined> {
    for await (const candidate of candidates) {
      if (this.#host.time.isShort) return undefined;
      const lease = await this.#take(candidate);
      if (lease) return lease;
    }
    return undefined;
  }

  async #take({ slice, own }: Candidate): Promise<Lease | null> {
    const { run, seat, time, signal } = this.#host;
    const { remainingMs } = time;
    try {
      const lease = await this.#locks.tryAcquire(slice.name, {
        owner: seatOwner(run.run, seat),
        group: sliceGroup(run.run),
        supersede: own,
        // On Lambda a lease ends no later than the invocation.
        ...(Number.isFinite(remainingMs) && { maxHoldMs: Math.max(1, Math.floor(remainingMs)) }),
        change: {
          compute: {
            attempts: {
              text: 'if_not_exists(#attempts, :scanZero) + :scanOne',
              values: { ':scanZero': 0, ':scanOne': 1 },
            },
          },
          condition: takeable(own ? this.#search.ownEarlierUntilMs : undefined),
        },
        ...(signal && { signal }),
      });
      if (lease) this.#search.begun();
      return lease;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'AlreadyCompletedError') throw error;
      // Perhaps split before it was completed: the next look reads where it ends.
      return null;
    }
  }

  /** Decorrelated jitter, never past the moment at which a slice may be taken over, nor past the seat's own time. */
  async #pause(): Promise<void> {
    const { context, signal, time } = this.#host;
    const { random } = context.runtime;
    const isWaiting = this.#isStill || this.#emptyLooks >= maxEmptyLooks;
    const ceilingMs = isWaiting ? stillCeilingMs : pollCeilingMs;
    this.#pauseMs = Math.min(ceilingMs, pollFloorMs + random() * (this.#pauseMs * 2 - pollFloorMs));
    const untilExpiryMs = this.#search.soonestExpiryMs - context.clock.now().earliest;
    const delayMs = Math.min(
      this.#pauseMs,
      Math.max(pollFloorMs / 2, untilExpiryMs),
      Math.max(0, time.leftMs),
    );
    const { run, seat } = this.#host;
    publishScan('scan-seat-waits', { run: run.run, seat, waitMs: delayMs, held: this.#search.held.length });
    await sleep(context.runtime, delayMs, signal);
  }

  #answer(status: SeatAnswer['status']): SeatAnswer {
    const { run, seat, context } = this.#host;
    const tookMs = Math.round(context.runtime.monotonicMs() - this.#startedMs);
    const counts = { ...this.#counts, busyMs: Math.round(this.#counts.busyMs) };
    const answer = { run: run.run, seat, status, ...counts, tookMs };
    publishScan('scan-seat-ended', answer);
    return answer;
  }
}
