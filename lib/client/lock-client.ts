import { handleOf } from '../kit/handles.js';
import type { Leading, LeadOptions } from '../kit/leader.js';
import type { GroupOptions, LockGroup } from '../kit/lock-group.js';
import type { ReadWriteLock } from '../kit/read-write-lock.js';
import type { Semaphore } from '../kit/semaphore.js';
import { checkOptions } from '../lease/check-options.js';
import type { Lease, LeaseContext } from '../lease/index.js';
import type { AcquireOptions, ResumeOptions, TryAcquireOptions } from './acquire-options.js';
import type { ShownLease } from './admin.js';
import { type ClientCore, clientCore } from './client-core.js';
import type { ClientOptions, LockClientOptions } from './client-options.js';
import type { CronSlotOptions, CronSlotOutcome } from './cron-slot.js';
import type { LaterCalls } from './later-calls.js';
import type { LockInfo } from './lock-info.js';
import { checkPlainName } from './lock-name.js';
import type { OnceOptions, OnceOutcome } from './once.js';
import { checkWork, runUnder } from './with-lock.js';

/**
 * Leases in one DynamoDB table: two writes for a lock, nothing else to operate. Or by the lock service, for callers
 * that may not touch the table.
 *
 * ```ts
 * const locks = new LockClient({ table: 'leases' }); // or { service: 'leasehold' }
 * await locks.withLock('settlement/batch-99', async (lease) => settle(lease.token));
 * ```
 */
export class LockClient implements AsyncDisposable {
  /**
   * What leases of this client work with: for those who build on leases.
   *
   * @internal
   */
  readonly context: LeaseContext;
  /** The label of this client's leases. */
  readonly owner: string;

  readonly #core: ClientCore;

  /** @throws UsageError if an option is out of its range; the message names option, limit and value */
  constructor(options: LockClientOptions);
  /** @internal */
  constructor(options: ClientOptions);
  constructor(options: ClientOptions) {
    this.#core = clientCore(options);
    this.context = this.#core.context;
    this.owner = this.#core.owner;
  }

  /**
   * Runs work under the lock and releases it.
   *
   * @param work gets the lease: pass `lease.signal` on, hand `lease.token` to what you write to
   * @returns the work's result, also if the caller's signal aborted while the work ended well: that comes too late
   * @throws the work's own error, unchanged; LockLostError carrying the result if the work ended well but the
   *   lease did not; and everything {@link acquire} throws
   */
  async withLock<T>(
    name: string,
    work: (lease: Lease) => Promise<T> | T,
    options: AcquireOptions = {},
  ): Promise<T> {
    checkWork('withLock', work);
    const lease = await this.acquire(name, options);
    return runUnder(lease, work);
  }

  /**
   * Acquires the lock.
   *
   * @param name 1 to 1,024 bytes of UTF-8, no control characters; it must not end as the names of a semaphore's permits do (`#` and
   *   digits), or those of readers and writers (`#r`, `#w`)
   * @throws LockHeldError when it stayed held for `waitMs`; AlreadyCompletedError; StoreError; UsageError;
   *   the signal's own reason
   */
  async acquire(name: string, options: AcquireOptions = {}): Promise<Lease> {
    checkPlainName(name);
    return this.#core.acquire(name, options);
  }

  /**
   * Tries once.
   *
   * @returns the lease, or `null` when somebody else holds the lock
   * @throws AlreadyCompletedError, StoreError, UsageError, or the signal's own reason
   */
  async tryAcquire(name: string, options: TryAcquireOptions = {}): Promise<Lease | null> {
    checkPlainName(name);
    return this.#core.tryAcquire(name, options);
  }

  /**
   * Goes on with a lease that another process has handed over, e.g. the state before in a Step Functions execution: under
   * the same name, with its checkpoint, a higher token and a heartbeat of its own. Nobody else has had the lock in between.
   *
   * The same JSON may be used again, as a retried state does: the later call takes over from the earlier one at once, and
   * the earlier one is told that it has lost. Once the line has gone on (the lease was released, or handed over and
   * resumed), or somebody else has had the lock, it is of no use any more.
   *
   * @param handedOver what `handOver` answered; anything else is refused
   * @param options.leaseMs how long the lease runs without a renewal, in milliseconds. @default as it ran before
   * @throws LockLostError when the lease is not the current one any more; AlreadyCompletedError; StoreError when the
   *   store did not answer (call again with the same JSON); UsageError; the signal's own reason
   */
  resume(handedOver: unknown, options?: ResumeOptions): Promise<Lease> {
    return this.#later('resume', handedOver, options);
  }

  /**
   * Does something once: the first caller does the work under the lock and completes the name with its result, every
   * later one gets that result. While the first is at it the others wait, up to `waitMs`. Work that throws, or whose
   * holder crashed, completes nothing, and the next caller does it.
   *
   * "Once" is said of the result. Work that outlives a lost lease may still be running when somebody else starts:
   * give `lease.token` to what it writes to.
   *
   * @param work its result must be something that DynamoDB can store, in less than 400 KB; later callers get it as
   *   DynamoDB gives it back (`undefined` in objects is dropped)
   * @param options.retainMs how long the result is kept, in milliseconds, at least a day
   * @returns the result, and whether this call did the work
   * @throws the work's own error, unchanged; LockHeldError when somebody else was still at it after `waitMs`;
   *   LockLostError carrying the result if it could not be stored under the lease; UsageError if it can't be stored
   *   at all, or if `retainMs` is less than a day; and everything else {@link acquire} throws
   */
  once<T>(
    name: string,
    work: (lease: Lease) => Promise<T> | T,
    options?: OnceOptions,
  ): Promise<OnceOutcome<T>> {
    return this.#later('once', name, work, options) as Promise<OnceOutcome<T>>;
  }

  /**
   * Runs the job of a schedule at most once per slot, whoever else is asked to: a slot that is finished is never run
   * again, and one that is older than the latest started is refused, however clocks are turned. A job that throws or
   * whose holder crashed leaves its slot open, so that a retry of the same slot runs it. A job longer than its lease
   * is renewed.
   *
   * One name is one schedule; a name used here should not be used for other locks. A slot further back than the
   * client's `retentionMs` is refused, since what is known of it may have been deleted.
   *
   * @param scheduledTime the slot: when the job was due, as the scheduler says, not when it came to be run
   * @param options.waitMs how long to wait for a run of an earlier slot that is still going on. Without it, such a slot
   *   is skipped (`held`); after a crash of its holder an earlier run lasts until its lease is over
   * @returns whether it ran: its result, or why not
   * @throws the job's own error, unchanged; LockLostError carrying the result if the job ended well and its lease had
   *   not (the slot stays open); UsageError for a slot more than an hour ahead of the store's time, the work of a
   *   wrong clock; AlreadyCompletedError, StoreError, or the signal's own reason
   */
  async cronSlot<T>(
    name: string,
    scheduledTime: Date | number,
    job: (lease: Lease) => Promise<T> | T,
    options?: CronSlotOptions,
  ): Promise<CronSlotOutcome<T>> {
    // A text stays one, for the message: schedulers hand over times as texts.
    const slot = typeof scheduledTime === 'string' ? scheduledTime : Number(scheduledTime);
    return this.#later('cronSlot', name, slot as number, job, options) as Promise<CronSlotOutcome<T>>;
  }

  /**
   * The first of these locks that is free, as `SELECT … FOR UPDATE SKIP LOCKED` would have it. Those that are held or
   * completed are passed over; each costs one write. Many workers that are given the same order all try the same
   * first names: shuffle the list where that matters.
   *
   * @param names tried in this order, each once
   * @returns the lease, or `null` when none of them is free, or the caller's own time runs out before one is found
   * @throws StoreError, UsageError, or the signal's own reason
   */
  claimNext(names: Iterable<string>, options?: TryAcquireOptions): Promise<Lease | null> {
    return this.#later('claimNext', names, options);
  }

  /** Who holds the lock, in one strongly consistent read; `undefined` if nobody ever did. */
  inspect(name: string, options?: { readonly signal?: AbortSignal }): Promise<LockInfo | undefined> {
    return this.#later('inspect', name, options);
  }

  /**
   * All locks, or those of a group, as they come, read strongly consistently. Without a group the whole table is
   * read; a group's newest members may be missing for a moment, since the index lags.
   */
  list(options: { readonly group?: string; readonly signal?: AbortSignal } = {}): AsyncIterable<LockInfo> {
    checkOptions('list', options, ['group', 'signal']);
    return this.#list({ ...options });
  }

  /**
   * An operator's force-release. Its holder finds out at its next renewal; its fencing token stays spent. Of a lock that is
   * free, but not yet (`minHoldMs`), it ends the rest of that time.
   *
   * @param leaseId the one that `inspect` showed: a lease granted meanwhile is left alone
   * @returns whether that lease is over now
   */
  break(name: string, leaseId: string, options?: { readonly signal?: AbortSignal }): Promise<boolean> {
    return this.#later('break', name, leaseId, options);
  }

  /**
   * Takes a completion back, so that the name can be acquired again.
   *
   * @param options.completedAt the completion that `inspect` showed, store time in milliseconds since the epoch: one that
   *   was made after it is left alone. @default the one that a read finds first
   * @returns whether the name exists and is open now
   * @throws StoreError, UsageError, or the signal's own reason
   */
  reopen(
    name: string,
    options?: { readonly completedAt?: number; readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.#later('reopen', name, options);
  }

  /**
   * Asks the holder to let go: written onto the lease that was seen. Its holder learns of it with its next renewal, finds
   * `lease.releaseRequested` aborted, and may release; a leader (`lead`) steps down.
   *
   * @param seen the lease id that `inspect` or `leader` showed, or what they answered (a lock service shows ids to operators
   *   only, and tokens to everybody): a lease granted meanwhile is not asked
   * @param options.reason for the holder and its log, at most 256 bytes
   * @returns whether that lease was current, and is asked now
   * @throws StoreError, UsageError, or the signal's own reason
   */
  requestRelease(
    name: string,
    seen: string | ShownLease,
    options?: { readonly reason?: string; readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.#later('requestRelease', name, seen, options);
  }

  /**
   * At most so many holders at a time (docs/guides/lock-kit.md). Permit *i* is the lease `name#i`.
   *
   * @param options.permits how many, 1 to 100; while it is being changed, the larger number counts
   * @throws UsageError if the name or the number can't be right
   */
  semaphore(name: string, options: { readonly permits: number }): Semaphore {
    const { permits } = options ?? {};
    return handleOf(this.#core.later, 'semaphore', name, { permits }, [
      'acquire',
      'tryAcquire',
      'withPermit',
      'inspect',
    ]);
  }

  /**
   * Many readers or one writer; writers come first. A write lock costs `readers` + 1 leases.
   *
   * @param options.readers how many may read at a time, 1 to 100
   * @throws UsageError if the name or the number can't be right
   */
  readWriteLock(name: string, options: { readonly readers: number }): ReadWriteLock {
    const { readers } = options ?? {};
    return handleOf(
      this.#core.later,
      'readWriteLock',
      name,
      { readers },
      ['read', 'write', 'acquireRead', 'acquireWrite'],
      '#r',
    );
  }

  /**
   * Acquires all of these locks, or none: in one order, whatever order they are given in, within one `waitMs`.
   *
   * @param names 1 to 100; named twice counts once
   * @throws LockHeldError that names the lock which was held; and everything {@link acquire} throws
   */
  acquireAll(names: Iterable<string>, options?: GroupOptions): Promise<LockGroup> {
    return this.#later('acquireAll', names, options);
  }

  /** Runs work under all of these locks and releases them. Errors as those of {@link withLock}. */
  withLocks<T>(
    names: Iterable<string>,
    work: (group: LockGroup) => Promise<T> | T,
    options?: GroupOptions,
  ): Promise<T> {
    return this.#later('withLocks', names, work, options) as Promise<T>;
  }

  /**
   * Campaigns without end, runs the work while leading, and campaigns again after a loss or after stepping down.
   *
   * @param work gets the lease, and a signal that aborts when the lead is over
   * @param options.signal ends the campaign or the lead; the lease is released first
   * @returns the work's result, when it returns while it leads
   * @throws the work's own error; the signal's own reason; StoreError that can't pass; UsageError
   */
  lead<T>(
    name: string,
    work: (lease: Lease, leading: Leading) => Promise<T> | T,
    options?: LeadOptions,
  ): Promise<T> {
    return this.#later('lead', name, work, options) as Promise<T>;
  }

  /** Who leads, in one strongly consistent read; `undefined` if nobody does. */
  leader(name: string, options?: { readonly signal?: AbortSignal }): Promise<LockInfo | undefined> {
    return this.#later('leader', name, options);
  }

  /**
   * Ends the client: calls that are waiting end with a `UsageError` of the code `CLOSED`, later ones are refused with it.
   * Nothing is granted or renewed from then on. Leases that are held are not released; they can still be, and else run out.
   * The AWS SDK's client is closed if it is this client's own.
   */
  close(): Promise<void> {
    return this.#core.close();
  }

  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A call of what is loaded later. Its options are as they are now: what the caller changes later plays no part. */
  async #later<Call extends keyof LaterCalls>(
    call: Call,
    ...asked: Parameters<LaterCalls[Call]>
  ): Promise<Awaited<ReturnType<LaterCalls[Call]>>> {
    const given = asked.map(asGiven);
    // Each call takes other arguments; those of this one were checked by the compiler above.
    const calls = (await this.#core.later()) as unknown as Record<Call, (...given: unknown[]) => never>;
    return calls[call](...given);
  }

  async *#list(given: { readonly group?: string; readonly signal?: AbortSignal }): AsyncIterable<LockInfo> {
    yield* (await this.#core.later()).list(given);
  }
}

/** A copy of options, or of a list of names, as they are now. What is neither stays as it is, and is refused later. */
function asGiven(given: unknown): unknown {
  if (typeof given !== 'object' || !given) return given;
  return Symbol.iterator in given ? [...(given as Iterable<unknown>)] : { ...given };
}
