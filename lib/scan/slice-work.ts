import { StoreError } from '../errors/index.js';
import type { Lease, LeaseItem } from '../lease/index.js';
import { laterKey } from './key-order.js';
import { linkedSignal } from './linked-signal.js';
import { processPage } from './page-processing.js';
import { loadPartial, PartialStore } from './partial-store.js';
import { persistently } from './persistence.js';
import type { ScanObject, ScanPage } from './processor.js';
import { S3Requests } from './s3-requests.js';
import { claimable, completable } from './scan-conditions.js';
import { publishScan, type SliceEvent } from './scan-events.js';
import type { SeatHost } from './seat-host.js';
import { type SliceItem, type SliceResult, sliceIdOf, sliceOf } from './slice.js';
import { hasPendingChild, materialiseChild } from './slice-creation.js';
import { SliceLister, withinSlice } from './slice-lister.js';
import { leaseOutputPrefix, pageOutput } from './slice-output.js';
import { emptyTally, type Tally, withPage } from './tally.js';

/** A write that is refused so often for no visible reason will not succeed. */
const mostUnexplainedRefusals = 10;

/** Raised when there is no time for another page; the slice is given back. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** An error that the processor threw, as opposed to one of the store's or of S3's. */
export class ProcessorFailure extends Error {
  override readonly name = 'ProcessorFailure';

  constructor(cause: unknown) {
    super('the processor failed', { cause });
  }
}

/**
 * The work on one slice under one lease, page by page: list, claim, process; then complete.
 *
 *     list ─► claim (cursor, partial = done so far; claimed = this page) ─► process ─► list …  ─► complete
 *
 * The claim comes before the work: it is heartbeat, checkpoint and fence check in one conditional write. A
 * checkpoint behind the work would let two live holders act on one key (scan page, "A worker is a seat").
 */
export class SliceWork {
  readonly lease: Lease;
  readonly #host: SeatHost;
  readonly #before: SliceItem;
  readonly #lists: S3Requests;
  readonly #objects: S3Requests;
  readonly #partials: PartialStore;
  readonly #outputPrefix: string;
  #hi: string | undefined;
  #claimed: string | undefined;
  #progress: number;
  #cursor: string | undefined;
  #partial: unknown;
  #tally: Tally;
  /** Pages done under this lease. */
  pages = 0;
  /** Objects handed out and done under this lease. */
  objects = 0;

  constructor(host: SeatHost, lease: Lease) {
    const { run, context, s3, processor } = host;
    this.lease = lease;
    this.#host = host;
    this.#before = sliceOf(lease.itemBefore ?? { name: lease.name });
    this.#lists = new S3Requests(s3, context.runtime);
    this.#objects = new S3Requests(s3, context.runtime);
    const place = run.output;
    this.#outputPrefix = place ? leaseOutputPrefix(place, run.run, this.id, lease.token) : '';
    this.#partials = new PartialStore(
      this.#objects,
      place && { bucket: place.bucket, prefix: this.#outputPrefix },
      processor.inlineBytes,
    );
    this.#hi = this.#before.hi;
    this.#claimed = this.#before.claimed;
    this.#progress = this.#before.progress;
    this.#cursor = this.#before.cursor;
    const tally = this.#before.tally ?? emptyTally;
    this.#tally = { ...tally, takeovers: tally.takeovers + (lease.takenOverFrom ? 1 : 0) };
  }

  /** The slice's id. */
  get id(): string {
    return sliceIdOf(this.lease.name);
  }

  /** List requests under this lease. */
  get listRequests(): number {
    return this.#lists.count;
  }

  /** What every event of this slice tells. */
  get event(): SliceEvent {
    const { run, seat } = this.#host;
    const { lease } = this;
    return { run: run.run, seat, slice: this.id, name: lease.name, token: lease.token, lease };
  }

  /**
   * Works until the slice is completed.
   *
   * @throws LockLostError; OutOfTime; ProcessorFailure; StoreError, UsageError; the reason of the caller's signal
   */
  async run(): Promise<void> {
    const { context, run, signal } = this.#host;
    const { takenOverFrom } = this.lease;
    publishScan('scan-slice-acquired', {
      ...this.event,
      takenOver: takenOverFrom !== undefined,
      takenOverFrom: takenOverFrom && { owner: takenOverFrom.owner, token: takenOverFrom.token },
      cursor: this.#cursor,
      lo: this.#before.lo,
      hi: this.#hi,
      attempts: this.#attemptsBefore + 1,
    });
    const scope = linkedSignal(this.lease.signal, signal);
    const lister = new SliceLister(this.#lists, run, run.pageSize, [scope.signal]);
    try {
      if (hasPendingChild(this.#before)) await materialiseChild(context, run.run, this.#before, scope.signal);
      this.#partial = await this.#partialBefore(scope.signal);
      await this.#pages(lister);
      await this.#complete(scope.signal);
    } finally {
      lister.close();
      scope.clear();
    }
  }

  /**
   * Gives the slice back with what is done.
   *
   * @param fault whether this grant counts against the slice if it made no progress
   */
  async giveBack(fault: boolean, lastError?: string): Promise<'released' | 'lost'> {
    const attempts = fault || this.#hasMoved ? undefined : this.#attemptsBefore;
    try {
      const done = await this.#done().catch(() => ({}));
      return await this.lease.release({
        set: { ...done, ...(attempts !== undefined && { attempts }), lastError },
      });
    } catch {
      // The store can't be reached: the lease runs out by itself.
      return 'released';
    }
  }

  async #pages(lister: SliceLister): Promise<void> {
    const { time, signal } = this.#host;
    for (let after = this.#cursor ?? this.#before.lo; ; ) {
      const listed = await lister.page(after);
      const within = withinSlice(listed.objects, this.#hi);
      if (within.length === 0) return;
      signal?.throwIfAborted();
      if (time.isShort) throw new OutOfTime();
      const objects = await this.#claim(within);
      if (objects.length === 0) return;
      after = objects.at(-1)!.key;
      const more = listed.truncated && objects.length === listed.objects.length && after !== this.#hi;
      if (more && !time.isShort) lister.prefetch(after);
      await this.#process(objects);
      if (!more) return;
    }
  }

  /**
   * The claim: one conditional write. If only `hi` has moved the page is trimmed and claimed again.
   *
   * @returns what was claimed; nothing, if all of the page belongs to a child by now
   */
  async #claim(page: readonly ScanObject[]): Promise<readonly ScanObject[]> {
    let objects = page;
    for (let refusals = 0; objects.length > 0; refusals++) {
      const claimed = laterKey(this.#claimed, objects.at(-1)!.key)!;
      const progress = this.#progress + 1;
      const set = { ...(await this.#done()), claimed, progress };
      const condition = claimable(this.#hi, claimed);
      const outcome = await persistently(this.#host.context.runtime, this.lease, () =>
        this.lease.renewWith({ set, condition }),
      );
      if (outcome.applied) {
        this.#claimed = claimed;
        this.#progress = progress;
        return objects;
      }
      if (refusals >= mostUnexplainedRefusals) throw this.#unexplained();
      await this.#learn(outcome.item);
      objects = withinSlice(objects, this.#hi);
    }
    return objects;
  }

  async #process(objects: readonly ScanObject[]): Promise<void> {
    const { context, run, processor, time, pageTimeoutMs, signal } = this.#host;
    const number = this.#progress;
    const page: ScanPage = {
      run: run.run,
      slice: this.id,
      sliceName: this.lease.name,
      number,
      bucket: run.bucket,
      prefix: run.prefix,
      startedAtMs: run.startedAtMs,
      objects,
      lastKey: objects.at(-1)!.key,
    };
    const prefix = `${this.#outputPrefix}${String(number).padStart(8, '0')}/`;
    const outputFor = (scope: AbortSignal) =>
      pageOutput(this.#objects, run.output, prefix, this.lease, scope);
    // The claim's answer may have been slow.
    this.lease.throwIfLost();
    publishScan('scan-page-claimed', {
      ...this.event,
      pages: number,
      objects: objects.length,
      firstKey: objects[0]!.key,
      lastKey: page.lastKey,
    });
    const { runtime } = context;
    const work = { runtime, processor, page, lease: this.lease, time, pageTimeoutMs, outputFor, signal };
    const result = await processPage(work).catch((error) => {
      throw new ProcessorFailure(error);
    });
    this.lease.throwIfLost();
    const merged = processor.merge(this.#partial, result.partial);
    this.#partial = processor.compact ? processor.compact(merged) : merged;
    this.#cursor = page.lastKey;
    this.#tally = withPage(this.#tally, {
      token: this.lease.token,
      number,
      objects,
      failures: result.failures,
    });
    this.pages += 1;
    this.objects += objects.length;
    publishScan('scan-page-done', {
      ...this.event,
      pages: this.#tally.pages,
      objects: objects.length,
      bytes: objects.reduce((bytes, { size }) => bytes + size, 0),
      totalObjects: this.#tally.objects,
    });
  }

  async #complete(signal: AbortSignal): Promise<void> {
    const { run, context } = this.#host;
    for (let refusals = 0; ; refusals++) {
      const tally = this.#tallyNow();
      const result: SliceResult = {
        token: this.lease.token,
        partial: await this.#partials.store(this.#partial, this.#progress, signal),
        tally,
        ...(run.output && {
          output: { bucket: run.output.bucket, prefix: this.#outputPrefix.replace(/\d+\/$/, '') },
        }),
      };
      const change = {
        set: { cursor: this.#cursor },
        // The result has them.
        remove: ['partial', 'tally', 'attempts', 'lastError'],
        condition: completable(this.#hi),
      };
      const outcome = await persistently(context.runtime, this.lease, () =>
        this.lease.completeWith(result, change),
      );
      if (outcome.applied) {
        const { pages, objects, bytes } = tally;
        publishScan('scan-slice-completed', { ...this.event, pages, objects, bytes });
        return;
      }
      if (refusals >= mostUnexplainedRefusals) throw this.#unexplained();
      await this.#learn(outcome.item);
    }
  }

  /** What a refusal shows: a thief has lowered `hi`, and its child may have to be made. */
  async #learn(found: LeaseItem): Promise<void> {
    const { context, run } = this.#host;
    const item = sliceOf(found);
    this.#hi = item.hi;
    this.#claimed = laterKey(this.#claimed, item.claimed);
    if (hasPendingChild(item)) {
      await persistently(context.runtime, this.lease, () => materialiseChild(context, run.run, item));
    }
  }

  /** The checkpoint: what is done so far, all of it or nothing in one write. */
  async #done(): Promise<Record<string, unknown>> {
    const tally = this.#tallyNow();
    if (this.#cursor === undefined) return { tally };
    const partial = await this.#partials.store(this.#partial, this.#progress, this.lease.signal);
    return { cursor: this.#cursor, partial, tally, ...(this.#hasMoved && { attempts: 0 }) };
  }

  /** Progress is a cursor that has moved, not a claim: a page that kills its workers is claimed, too. */
  get #hasMoved(): boolean {
    return this.#cursor !== this.#before.cursor;
  }

  /** Grants without progress before this one. An adopted grant found its own count in the item. */
  get #attemptsBefore(): number {
    const counted = this.#before.attempts ?? 0;
    return this.#before.leaseId === this.lease.leaseId ? counted - 1 : counted;
  }

  #tallyNow(): Tally {
    return {
      ...this.#tally,
      listRequests: (this.#before.tally?.listRequests ?? 0) + this.#lists.count,
    };
  }

  async #partialBefore(signal: AbortSignal): Promise<unknown> {
    const { partial } = this.#before;
    return partial === undefined ? this.#host.processor.empty() : loadPartial(this.#objects, partial, signal);
  }

  #unexplained(): StoreError {
    const message = `The slice "${this.lease.name}" refuses every write, although nothing about it has changed`;
    return new StoreError(message, this.lease.name, { retryable: true, mayHaveApplied: false });
  }
}
