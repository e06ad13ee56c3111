import type { S3Client } from '@aws-sdk/client-s3';
import type { LockClient } from '../../client/index.js';
import { UsageError } from '../../errors/index.js';
import { ensureStoreTime, type Lease } from '../../lease/index.js';
import { sleep } from '../../runtime/index.js';
import type { Processor } from '../results/processor.js';
import { isPassing } from '../slices/persistence.js';
import { takeable } from '../slices/scan-conditions.js';
import { checkRun } from '../slices/scan-run.js';
import { sliceGroup } from '../slices/slice.js';
import { type SeatHost, seatOwner } from './seat-host.js';
import { SeatTime } from './seat-time.js';
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
  readonly listRequests: number;
}

/** Looks for work that is held by others are between these apart, in milliseconds. */
const pollFloorMs = 100;
const pollCeilingMs = 3_000;

/** Looks in a row that the store does not answer before the seat gives up. */
const maxFailedLooks = 8;

/**
 * Works on a run's slices, one after the other, until none is left: takes any that is free or whose holder's lease
 * has run out, beginning where the holder stopped. While others hold the rest it waits, reading now and then.
 *
 * @throws UsageError for a run that was never planned, or an S3 that can't be scanned; StoreError; the signal's
 *   reason. The slice at hand is given back first.
 */
export async function workSeat(options: SeatOptions): Promise<SeatAnswer> {
  return (await Seat.open(options)).work();
}

class Seat {
  readonly #locks: LockClient;
  readonly #host: SeatHost;
  readonly #search: SliceSearch;
  readonly #counts = { pages: 0, objects: 0, slices: 0, takeovers: 0, lost: 0, listRequests: 0 };
  #pauseMs = pollFloorMs;

  static async open(options: SeatOptions): Promise<Seat> {
    const { locks, s3, run, seat, processor, signal } = options;
    if (!Number.isInteger(seat) || seat < 0)
      throw new UsageError(`seat: must be a whole number from 0, got ${seat}`);
    const { context } = locks;
    await ensureStoreTime(context, signal);
    return new Seat(locks, {
      context,
      s3,
      run: await checkRun(context, run, signal),
      seat,
      processor,
      time: new SeatTime(context.runtime, options.remainingMs, options.marginMs ?? 5_000),
      pageTimeoutMs: options.pageTimeoutMs ?? 15 * 60_000,
      signal,
    });
  }

  constructor(locks: LockClient, host: SeatHost) {
    this.#locks = locks;
    this.#host = host;
    this.#search = new SliceSearch(host, host.context.clock.now());
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
        lease = await this.#firstOf(this.#search.all());
        failedLooks = 0;
      } catch (error) {
        // Throttling and 5xx while waiting are part of waiting.
        if (!isPassing(error) || ++failedLooks >= maxFailedLooks) throw error;
        await this.#pause();
        continue;
      }
      if (lease) this.#pauseMs = pollFloorMs;
      else if (this.#search.unfinished === 0) return this.#answer('done');
      else await this.#pause();
    }
  }

  async #workOn(lease: Lease): Promise<'more' | 'superseded' | undefined> {
    const counts = this.#counts;
    if (lease.takenOverFrom) counts.takeovers += 1;
    const work = new SliceWork(this.#host, lease);
    try {
      const end = await endOfSlice(this.#host, work);
      if (end === 'completed') counts.slices += 1;
      if (end === 'lost' || end === 'superseded') counts.lost += 1;
      // A slice that failed is tried again, but not at once.
      if (end === 'failed') await this.#pause();
      if (end === 'superseded') return end;
      return end === 'out-of-time' ? 'more' : undefined;
    } finally {
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
    this.#pauseMs = Math.min(pollCeilingMs, pollFloorMs + random() * (this.#pauseMs * 3 - pollFloorMs));
    const untilExpiryMs = this.#search.soonestExpiryMs - context.clock.now().earliest;
    const delayMs = Math.min(
      this.#pauseMs,
      Math.max(pollFloorMs / 2, untilExpiryMs),
      Math.max(0, time.leftMs),
    );
    await sleep(context.runtime, delayMs, signal);
  }

  #answer(status: SeatAnswer['status']): SeatAnswer {
    return { run: this.#host.run.run, seat: this.#host.seat, status, ...this.#counts };
  }
}
