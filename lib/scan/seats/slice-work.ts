import { StoreError } from '../../errors/index.js';
import type { Lease, LeaseItem, ReleaseOutcome } from '../../lease/index.js';
import { childSignal } from '../../runtime/index.js';
import { S3Sender } from '../listing/s3-requests.js';
import { SliceLister } from '../listing/slice-lister.js';
import { loadPartial, PartialStore } from '../results/partial-store.js';
import type { ScanObject, ScanPage } from '../results/processor.js';
import { leaseOutputPrefix, pageOutput, sliceOutputPrefix } from '../results/slice-output.js';
import { persistently } from '../slices/scan-conditions.js';
import { parseSlice, parseSliceId, type SliceItem } from '../slices/slice.js';
import { hasPendingChild, materialiseChild } from '../slices/slice-creation.js';
import { processPage } from './page-processing.js';
import { publishScan, type SliceEvent } from './scan-events.js';
import type { SeatHost } from './seat-host.js';
import { SliceProgress } from './slice-progress.js';

/** A write that is refused so often for no visible reason will not succeed. */
const maxUnexplainedRefusals = 10;

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
  readonly #lists: S3Sender;
  readonly #objects: S3Sender;
  #progress: SliceProgress | undefined;
  /** Pages done under this lease. */
  pages = 0;
  /** Objects handed out and done under this lease. */
  objects = 0;

  constructor(host: SeatHost, lease: Lease) {
    this.lease = lease;
    this.#host = host;
    this.#before = parseSlice(lease.itemBefore ?? { name: lease.name });
    this.#lists = new S3Sender(host.s3, host.context.runtime);
    this.#objects = new S3Sender(host.s3, host.context.runtime);
  }

  /** The slice's id. */
  get id(): string {
    return parseSliceId(this.lease.name);
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
    this.#tellAcquired();
    const scope = childSignal(this.lease.signal, signal);
    const lister = new SliceLister(this.#lists, run, run.pageSize, [scope.signal]);
    try {
      if (hasPendingChild(this.#before)) await materialiseChild(context, run.run, this.#before, scope.signal);
      const progress = await this.#resumed(scope.signal);
      this.#progress = progress;
      await this.#pages(progress, lister);
      await this.#complete(progress);
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
  async giveBack(fault: boolean, lastError?: string): Promise<ReleaseOutcome> {
    const uncounted = !fault && !this.#progress?.hasMoved && { attempts: this.#attemptsBefore };
    try {
      const done = await this.#progress?.done().catch(() => ({}));
      return await this.lease.release({ set: { ...done, ...uncounted, lastError } });
    } catch {
      // The store can't be reached: the lease runs out by itself.
      return 'released';
    }
  }

  /** Goes on where the holder before stopped, with its result. */
  async #resumed(signal: AbortSignal): Promise<SliceProgress> {
    const { processor, run } = this.#host;
    const { partial } = this.#before;
    const { output } = run;
    const place = output && {
      bucket: output.bucket,
      prefix: leaseOutputPrefix(output, run.run, this.id, this.lease.token),
    };
    const partials = new PartialStore(this.#objects, place, processor.inlineBytes);
    const result =
      partial === undefined ? processor.empty() : await loadPartial(this.#objects, partial, signal);
    return new SliceProgress(this.#before, result, this.lease, processor, partials, () => this.#lists.count);
  }

  async #pages(progress: SliceProgress, lister: SliceLister): Promise<void> {
    const { time, signal } = this.#host;
    for (let after = progress.from; ; ) {
      const listed = await lister.page(after);
      const within = progress.within(listed.objects);
      if (within.length === 0) return;
      signal?.throwIfAborted();
      if (time.isShort) throw new OutOfTime();
      after = within.at(-1)!.key;
      const isLast = !listed.truncated || within.length < listed.objects.length || after === progress.hi;
      // Asked for while the claim is written: a page takes as long as its listing, no longer.
      if (!isLast) lister.prefetch(after);
      const objects = await this.#claim(progress, within);
      if (objects.length === 0) return;
      await this.#process(progress, objects);
      if (isLast || objects.length < within.length || after === progress.hi) return;
    }
  }

  /**
   * The claim: one conditional write. If only `hi` has moved the page is trimmed and claimed again.
   *
   * @returns what was claimed; nothing, if all of the page belongs to a child by now
   */
  async #claim(progress: SliceProgress, page: readonly ScanObject[]): Promise<readonly ScanObject[]> {
    let objects = page;
    for (let refusals = 0; objects.length > 0; refusals++) {
      const claim = await progress.claimOf(objects);
      const outcome = await persistently(this.#host.context.runtime, this.lease, () =>
        this.lease.renewWith(claim.change),
      );
      if (outcome.applied) {
        progress.confirmed(claim);
        return objects;
      }
      await this.#learn(progress, outcome.item, refusals);
      objects = progress.within(objects);
    }
    return objects;
  }

  async #process(progress: SliceProgress, objects: readonly ScanObject[]): Promise<void> {
    const { context, run, processor, time, pageTimeoutMs, signal } = this.#host;
    const { lease } = this;
    const page: ScanPage = {
      run: run.run,
      slice: this.id,
      sliceName: lease.name,
      number: progress.number,
      bucket: run.bucket,
      prefix: run.prefix,
      startedAtMs: run.startedAtMs,
      objects,
      lastKey: objects.at(-1)!.key,
    };
    const prefix =
      run.output &&
      `${leaseOutputPrefix(run.output, run.run, this.id, lease.token)}${String(page.number).padStart(8, '0')}/`;
    const outputFor = (scope: AbortSignal) =>
      pageOutput(this.#objects, run.output, prefix ?? '', lease, scope);
    // The claim's answer may have been slow.
    lease.throwIfLost();
    const firstKey = objects[0]!.key;
    const counts = { pages: page.number, objects: objects.length };
    publishScan('scan-page-claimed', { ...this.event, ...counts, firstKey, lastKey: page.lastKey });
    const { runtime } = context;
    const work = { runtime, processor, page, lease, time, pageTimeoutMs, outputFor, signal };
    try {
      const result = await processPage(work);
      lease.throwIfLost();
      progress.add(objects, result);
    } catch (error) {
      throw new ProcessorFailure(error);
    }
    this.pages += 1;
    this.objects += objects.length;
    publishScan('scan-page-done', {
      ...this.event,
      pages: progress.tally.pages,
      objects: objects.length,
      bytes: objects.reduce((bytes, { size }) => bytes + size, 0),
      totalObjects: progress.tally.objects,
    });
  }

  async #complete(progress: SliceProgress): Promise<void> {
    const { run, context } = this.#host;
    const output = run.output && {
      bucket: run.output.bucket,
      prefix: sliceOutputPrefix(run.output, run.run, this.id),
    };
    for (let refusals = 0; ; refusals++) {
      const { result, change } = await progress.completion(output);
      const outcome = await persistently(context.runtime, this.lease, () =>
        this.lease.completeWith(result, change),
      );
      if (outcome.applied) {
        const { pages, objects, bytes } = result.tally;
        publishScan('scan-slice-completed', { ...this.event, pages, objects, bytes });
        return;
      }
      await this.#learn(progress, outcome.item, refusals);
    }
  }

  /** What a refusal shows: a thief has lowered `hi`, and its child may have to be made. */
  async #learn(progress: SliceProgress, found: LeaseItem, refusals: number): Promise<void> {
    if (refusals >= maxUnexplainedRefusals) {
      const message = `The slice "${this.lease.name}" refuses every write, although nothing about it has changed`;
      throw new StoreError(message, this.lease.name, { retryable: true, mayHaveApplied: false });
    }
    const { context, run } = this.#host;
    const item = parseSlice(found);
    progress.learned(item);
    if (!hasPendingChild(item)) return;
    await persistently(context.runtime, this.lease, () => materialiseChild(context, run.run, item));
  }

  #tellAcquired(): void {
    const { takenOverFrom } = this.lease;
    const { cursor, lo, hi } = this.#before;
    publishScan('scan-slice-acquired', {
      ...this.event,
      takenOver: takenOverFrom !== undefined,
      takenOverFrom: takenOverFrom && { owner: takenOverFrom.owner, token: takenOverFrom.token },
      cursor,
      lo,
      hi,
      attempts: this.#attemptsBefore + 1,
    });
  }

  /** Grants without progress before this one. An adopted grant found its own count in the item. */
  get #attemptsBefore(): number {
    const counted = this.#before.attempts ?? 0;
    return this.#before.leaseId === this.lease.leaseId ? counted - 1 : counted;
  }
}
