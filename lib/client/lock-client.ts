import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { regionOf } from '../aws/region-of.js';
import { StoreClock } from '../clock/index.js';
import { LockHeldError, quoted, UsageError } from '../errors/index.js';
import { publish } from '../events/index.js';
import type { FairHost } from '../kit/fair-acquire.js';
import { readWriteLockHandle, semaphoreHandle } from '../kit/handles.js';
import type { Leading, LeadOptions } from '../kit/leader.js';
import type { GroupOptions, LockGroup } from '../kit/lock-group.js';
import type { LockHost } from '../kit/lock-host.js';
import type { ReadWriteLock } from '../kit/read-write-lock.js';
import type { Semaphore } from '../kit/semaphore.js';
import { checkNumber, checkOptions } from '../lease/check-options.js';
import {
  type Grant,
  type HoldSettings,
  Lease,
  type LeaseContext,
  type LeaseIdentity,
  type LeaseItem,
  tableStore,
} from '../lease/index.js';
import { childSignal, sdkTimeOuts, sharedController, systemRuntime } from '../runtime/index.js';
import { DynamoTable, type ItemChange, type LeaseTable } from '../table/index.js';
import { Acquisition } from './acquisition.js';
import type { Admin } from './admin.js';
import { BackgroundRelease } from './background-release.js';
import {
  type ClientOptions,
  callTimeoutMs,
  checkClientOptions,
  checkOwner,
  type HoldOptions,
  holdSettings,
  type LockClientOptions,
  optionNames,
  timeLeftMs,
} from './client-options.js';
import type { CronSlotOptions, CronSlotOutcome } from './cron-slot.js';
import { defaults } from './defaults.js';
import { LocalQueue, type Turn } from './local-queue.js';
import type { LockInfo } from './lock-info.js';
import { checkGroupName, checkLockName } from './lock-name.js';
import type { OnceOptions, OnceOutcome } from './once.js';
import { defaultOwner } from './owner.js';
import type { ResumeOptions } from './resume.js';
import { type ServiceWay, serviceWay } from './service-context.js';
import { WaitPacing } from './wait-pacing.js';
import { runUnder } from './with-lock.js';

/** How to try for a lock, and how to hold it. */
export interface TryAcquireOptions extends HoldOptions {
  /** A label for people. With `supersede` it is the identity of the logical worker. @default the client's */
  readonly owner?: string;
  /** Take over the lease of an earlier attempt of the same owner at once, with a higher token. @default false */
  readonly supersede?: boolean;
  /** Puts the lock into a group that can be listed. */
  readonly group?: string;
  /**
   * Written, and demanded, along with the grant: for those who build on leases.
   *
   * @internal
   */
  readonly change?: ItemChange;
  /**
   * Told the item whenever the store shows it: `true` ends the wait with a `LockHeldError`, since no waiting will make
   * the condition of `change` true of it.
   *
   * @internal
   */
  readonly giveUpWhen?: (item: LeaseItem) => boolean;
  /** Gives up at once, with the signal's own reason. */
  readonly signal?: AbortSignal;
}

/** As {@link TryAcquireOptions}, and how long to wait. */
export interface AcquireOptions extends TryAcquireOptions {
  /** How long to wait for a lock that is held, in milliseconds. @default 0: try once */
  readonly waitMs?: number;
  /** First come, first served among all who ask so, over processes (docs/guides/lock-kit.md). @default false */
  readonly fair?: boolean;
}

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

  readonly #options: ClientOptions;
  readonly #queue: LocalQueue;
  readonly #giveBack: BackgroundRelease;
  readonly #closed = sharedController();
  /** Calls that have not come to an end. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #ownClient: DynamoDBClient | undefined;
  readonly #service: ServiceWay | undefined;

  /** @throws UsageError if an option is out of its range; the message names option, limit and value */
  constructor(options: LockClientOptions);
  /** @internal */
  constructor(options: ClientOptions);
  constructor(options: ClientOptions) {
    checkClientOptions(options);
    const runtime = options.runtime ?? systemRuntime;
    const clock = new StoreClock(runtime, options.skewMs);
    this.#options = { ...options };
    this.#ownClient =
      typeof options.table === 'string' && !options.client ? makeOwnClient(options) : undefined;
    const terms = {
      clock,
      runtime,
      skewMs: options.skewMs ?? defaults.skewMs,
      retentionMs: options.retentionMs ?? defaults.retentionMs,
      closed: this.#closed.signal,
    };
    if (typeof options.service === 'string') {
      // Whether it can be right is found out here, and not by the first request.
      regionOf('service', options.service, 'lambda', options.region);
    }
    if (options.service !== undefined) {
      const { ownerKey = `owner-key-${runtime.randomId()}${runtime.randomId()}` } = options;
      this.#service = serviceWay(this.#options, terms, callTimeoutMs(options), ownerKey);
      this.context = this.#service.context;
    } else {
      const table = makeTable(options, this.#ownClient, clock);
      this.context = { ...terms, table, store: tableStore({ ...terms, table }) };
    }
    this.owner = options.owner ?? defaultOwner(runtime);
    this.#queue = new LocalQueue(runtime);
    this.#giveBack = new BackgroundRelease(this.context, callTimeoutMs(options));
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
   * @param name 1 to 1,024 bytes of UTF-8, no control characters
   * @throws LockHeldError when it stayed held for `waitMs`; AlreadyCompletedError; StoreError; UsageError;
   *   the signal's own reason
   */
  async acquire(name: string, options: AcquireOptions = {}): Promise<Lease> {
    return this.#acquire(name, options, optionNames.acquire);
  }

  async #acquire(name: string, given: AcquireOptions, names: readonly string[]): Promise<Lease> {
    checkLockName(name);
    checkOptions('acquire', given, names);
    // As they are now: what the caller changes later plays no part.
    const options = { ...given };
    const owner = options.owner ?? this.owner;
    if (options.owner !== undefined) checkOwner(options.owner);
    if (options.group !== undefined) checkGroupName(options.group);
    const askedWaitMs = options.waitMs ?? defaults.waitMs;
    checkNumber('waitMs', askedWaitMs, 0);
    const waitMs = Math.min(askedWaitMs, timeLeftMs(options) ?? askedWaitMs);
    const terms = () => holdSettings(this.#options, options);
    terms();
    if (options.fair) return this.#acquireInLine(name, { ...options, waitMs });
    const { group, change, giveUpWhen, supersede = false } = options;
    return this.#whileOpen(options.signal, async (signal) => {
      const pacing = this.#pacing(waitMs);
      const turn = supersede ? noTurn() : await this.#queue.enter(name, waitMs, signal);
      if (!turn) {
        throw new LockHeldError(name, this.#queue.toHolder(name), pacing.waitedMs, { heldHere: true });
      }
      try {
        const host = { context: this.context, giveBack: this.#giveBack };
        const acquisition = new Acquisition(
          host,
          {
            name,
            owner,
            terms,
            supersede,
            signal,
            ...(group !== undefined && { group }),
            ...(change && { change }),
            ...(giveUpWhen && { giveUpWhen }),
          },
          pacing,
        );
        const grant = await acquisition.run();
        return this.#toLease({ name, owner }, grant, acquisition.terms, pacing.waitedMs, turn);
      } catch (error) {
        turn.leave();
        throw error;
      }
    });
  }

  /**
   * The one place where a grant becomes a lease.
   *
   * @throws UsageError if the client has been closed meanwhile: the lease is given back
   */
  #toLease(
    identity: { readonly name: string; readonly owner: string },
    grant: Grant,
    terms: HoldSettings,
    waitedMs: number,
    turn: Turn,
  ): Lease {
    const { name, owner } = identity;
    const releaseLater = (left: LeaseIdentity, forMs: number) => this.#giveBack.start(left, forMs);
    if (this.#closed.signal.aborted) {
      releaseLater({ name, leaseId: grant.leaseId, token: grant.token }, terms.leaseMs);
      throw this.#closed.signal.reason;
    }
    const lease = new Lease(this.context, identity, grant, terms, turn.leave, releaseLater);
    turn.holder = () => lease.holderInfo;
    const { token, leaseId, takenOverFrom } = lease;
    publish('granted', { name, owner, token, leaseId, waitedMs, takenOverFrom, adopted: grant.adopted });
    return lease;
  }

  /**
   * Every call of the client: refused once it is closed, ended when it is closed meanwhile.
   *
   * @throws UsageError with the code `CLOSED`; the caller's signal's own reason; what `call` throws
   */
  async #whileOpen<T>(given: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#closed.signal.throwIfAborted();
    given?.throwIfAborted();
    const { signal, clear } = childSignal(given, this.#closed.signal);
    const running = call(signal).catch((error) => {
      throw signal.aborted ? signal.reason : error;
    });
    const settled = running.then(clear, clear).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
    return running;
  }

  /**
   * Tries once.
   *
   * @returns the lease, or `null` when somebody else holds the lock
   * @throws AlreadyCompletedError, StoreError, UsageError, or the signal's own reason
   */
  async tryAcquire(name: string, options: TryAcquireOptions = {}): Promise<Lease | null> {
    try {
      return await this.#acquire(name, options, optionNames.tryAcquire);
    } catch (error) {
      if (error instanceof LockHeldError) return null;
      throw error;
    }
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
  async resume(handedOver: unknown, options: ResumeOptions = {}): Promise<Lease> {
    checkOptions('resume', options, optionNames.resume);
    const { owner = this.owner, ...hold } = options;
    checkOwner(owner);
    timeLeftMs(hold);
    const terms = (leaseMs: number) => holdSettings(this.#options, { leaseMs, ...hold });
    return this.#whileOpen(options.signal, async (signal) => {
      const { parseHandedOver, resume } = await import('./resume.js');
      const from = parseHandedOver(handedOver);
      const settings = terms(from.leaseMs);
      const grant = await resume(this.context, from, settings, { owner, signal });
      return this.#toLease({ name: from.name, owner }, grant, settings, 0, noTurn());
    });
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
  async once<T>(
    name: string,
    work: (lease: Lease) => Promise<T> | T,
    options: OnceOptions = {},
  ): Promise<OnceOutcome<T>> {
    checkWork('once', work);
    const given = { ...options };
    const { once } = await import('./once.js');
    return once(this, name, work, given);
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
    options: CronSlotOptions = {},
  ): Promise<CronSlotOutcome<T>> {
    checkWork('cronSlot', job);
    const given = { ...options };
    const slot = Number(scheduledTime);
    const { cronSlot } = await import('./cron-slot.js');
    return cronSlot(this, name, slot, job, given);
  }

  /**
   * The first of these locks that is free, as `SELECT … FOR UPDATE SKIP LOCKED` would have it. Those that are held or
   * completed are passed over; each costs one write. Many workers that are given the same order all try the same
   * first names: shuffle the list where that matters.
   *
   * @param names tried in this order, each once
   * @returns the lease, or `null` when none of them is free
   * @throws StoreError, UsageError, or the signal's own reason
   */
  async claimNext(names: Iterable<string>, options: TryAcquireOptions = {}): Promise<Lease | null> {
    // A string is an iterable of its characters, each of them a fine name.
    if (typeof names === 'string') throw new UsageError('claimNext: takes a list of names, got one string');
    const wanted = [...new Set(names)];
    const given = { ...options };
    const { claimNext } = await import('./claim-next.js');
    return claimNext(this, wanted, given);
  }

  /** Who holds the lock, in one strongly consistent read; `undefined` if nobody ever did. */
  inspect(name: string, options: { readonly signal?: AbortSignal } = {}): Promise<LockInfo | undefined> {
    return this.#administer('inspect', options, (admin, signal) => admin.inspect(name, signal));
  }

  /**
   * All locks, or those of a group, as they come, read strongly consistently. Without a group the whole table is
   * read; a group's newest members may be missing for a moment, since the index lags.
   */
  list(options: { readonly group?: string; readonly signal?: AbortSignal } = {}): AsyncIterable<LockInfo> {
    checkOptions('list', options, ['group', 'signal']);
    const { group, signal } = options;
    return this.#list(group, signal);
  }

  /**
   * An operator's force-release. Its holder finds out at its next renewal; its fencing token stays spent.
   *
   * @param leaseId the one that `inspect` showed: a lease granted meanwhile is left alone
   * @returns whether that lease is over now
   */
  break(name: string, leaseId: string, options: { readonly signal?: AbortSignal } = {}): Promise<boolean> {
    return this.#administer('break', options, (admin, signal) => admin.break(name, leaseId, signal));
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
    options: { readonly completedAt?: number; readonly signal?: AbortSignal } = {},
  ): Promise<boolean> {
    const { completedAt, ...rest } = options;
    return this.#administer('reopen', rest, (admin, signal) => admin.reopen(name, completedAt, signal));
  }

  /**
   * Asks the holder to let go: written onto the lease that was seen. Its holder learns of it with its next renewal, finds
   * `lease.releaseRequested` aborted, and may release; a leader (`lead`) steps down.
   *
   * @param leaseId the one that `inspect` or `leader` showed: a lease granted meanwhile is not asked
   * @param options.reason for the holder and its log, at most 256 bytes
   * @returns whether that lease was current, and is asked now
   * @throws StoreError, UsageError, or the signal's own reason
   */
  requestRelease(
    name: string,
    leaseId: string,
    options: { readonly reason?: string; readonly signal?: AbortSignal } = {},
  ): Promise<boolean> {
    const { reason = '', ...rest } = options;
    return this.#administer('requestRelease', rest, (admin, signal) =>
      admin.requestRelease(name, leaseId, reason, signal),
    );
  }

  /**
   * At most so many holders at a time (docs/guides/lock-kit.md). Permit *i* is the lease `name#i`.
   *
   * @param options.permits how many, 1 to 100; while it is being changed, the larger number counts
   * @throws UsageError if the name or the number can't be right
   */
  semaphore(name: string, options: { readonly permits: number }): Semaphore {
    return semaphoreHandle(this.#host, name, options?.permits);
  }

  /**
   * Many readers or one writer; writers come first. A write lock costs `readers` + 1 leases.
   *
   * @param options.readers how many may read at a time, 1 to 100
   * @throws UsageError if the name or the number can't be right
   */
  readWriteLock(name: string, options: { readonly readers: number }): ReadWriteLock {
    return readWriteLockHandle(this.#host, name, options?.readers);
  }

  /**
   * Acquires all of these locks, or none: in one order, whatever order they are given in, within one `waitMs`.
   *
   * @param names 1 to 100; named twice counts once
   * @throws LockHeldError that names the lock which was held; and everything {@link acquire} throws
   */
  async acquireAll(names: Iterable<string>, options: GroupOptions = {}): Promise<LockGroup> {
    const [given, wanted] = [{ ...options }, typeof names === 'string' ? names : [...names]];
    return (await import('../kit/lock-group.js')).acquireAll(this.#host, wanted, given);
  }

  /** Runs work under all of these locks and releases them. Errors as those of {@link withLock}. */
  async withLocks<T>(
    names: Iterable<string>,
    work: (group: LockGroup) => Promise<T> | T,
    options: GroupOptions = {},
  ): Promise<T> {
    checkWork('withLocks', work);
    return runUnder(await this.acquireAll(names, options), work);
  }

  /**
   * Campaigns without end, runs the work while leading, and campaigns again after a loss or after stepping down.
   *
   * @param work gets the lease, and a signal that aborts when the lead is over
   * @param options.signal ends the campaign or the lead; the lease is released first
   * @returns the work's result, when it returns while it leads
   * @throws the work's own error; the signal's own reason; StoreError that can't pass; UsageError
   */
  async lead<T>(
    name: string,
    work: (lease: Lease, leading: Leading) => Promise<T> | T,
    options: LeadOptions = {},
  ): Promise<T> {
    checkWork('lead', work);
    const given = { ...options };
    return (await import('../kit/leader.js')).lead(this.#host, name, work, given);
  }

  /** Who leads, in one strongly consistent read; `undefined` if nobody does. */
  async leader(name: string, options: { readonly signal?: AbortSignal } = {}): Promise<LockInfo | undefined> {
    const info = await this.inspect(name, options);
    return info?.state === 'held' ? info : undefined;
  }

  /**
   * Ends the client: calls that are waiting end with a `UsageError` of the code `CLOSED`, later ones are refused with it.
   * Nothing is granted or renewed from then on. Leases that are held are not released; they can still be, and else run out.
   * The AWS SDK's client is closed if it is this client's own.
   */
  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) {
      this.#closed.abort(new UsageError('This LockClient has been closed', undefined, { code: 'CLOSED' }));
    }
    // What ends now may leave something to give back.
    await Promise.all(this.#underWay);
    await this.#giveBack.close();
    this.#ownClient?.destroy();
    this.#service?.close();
  }

  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What operators do is loaded when it is asked for: most programs only lock. */
  async #administer<T>(
    call: string,
    options: { readonly signal?: AbortSignal },
    ask: (admin: Admin, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    checkOptions(call, options, ['signal']);
    return this.#whileOpen(options.signal, async (signal) => {
      const { Admin } = await import('./admin.js');
      return ask(new Admin(this.context), signal);
    });
  }

  async *#list(group: string | undefined, given: AbortSignal | undefined): AsyncIterable<LockInfo> {
    this.#closed.signal.throwIfAborted();
    const { signal, clear } = childSignal(given, this.#closed.signal);
    try {
      const { Admin } = await import('./admin.js');
      yield* new Admin(this.context).list(group, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clear();
    }
  }

  #acquireInLine(name: string, options: AcquireOptions): Promise<Lease> {
    const { fair: _, ...own } = options;
    return this.#whileOpen(options.signal, async (signal) => {
      const { fairAcquire } = await import('../kit/fair-acquire.js');
      return fairAcquire(await this.#fairHost(), name, { ...own, signal });
    });
  }

  async #fairHost(): Promise<FairHost> {
    const { TableLines } = await import('../kit/line-store.js');
    return {
      ...this.#host,
      clock: this.context.clock,
      lines: new TableLines(this.context.table),
      pollFloorMs: this.#options.pollFloorMs ?? defaults.pollFloorMs,
      callTimeoutMs: callTimeoutMs(this.#options),
    };
  }

  get #host(): LockHost {
    return {
      runtime: this.context.runtime,
      owner: this.owner,
      acquire: (name, options) => this.acquire(name, options),
      tryAcquire: (name, options) => this.tryAcquire(name, options),
      inspectMany: (names, signal) =>
        this.#administer('inspect', { signal }, (admin, own) => admin.inspectMany(names, own)),
      pacing: (waitMs) => {
        checkNumber('waitMs', waitMs, 0);
        return this.#pacing(waitMs);
      },
    };
  }

  #pacing(waitMs: number): WaitPacing {
    const pollFloorMs = this.#options.pollFloorMs ?? defaults.pollFloorMs;
    const pollCeilingMs = this.#options.pollCeilingMs ?? Math.max(defaults.pollCeilingMs, pollFloorMs);
    return new WaitPacing(this.context.clock, this.context.runtime, { waitMs, pollFloorMs, pollCeilingMs });
  }
}

/** @throws UsageError before anything is acquired for work that is none */
function checkWork(call: string, work: unknown): void {
  if (typeof work === 'function') return;
  throw new UsageError(`${call}: needs the work as a function, after the name; got ${quoted(work)}`);
}

/** A superseder does not stand in line behind the very lease that it is about to take over. */
const noTurn = (): Turn => ({ holder: undefined, leave: () => {} });

function makeTable(
  options: ClientOptions,
  ownClient: DynamoDBClient | undefined,
  clock: StoreClock,
): LeaseTable {
  if (typeof options.table === 'function') return options.table(clock);
  return new DynamoTable({
    client: options.client ?? ownClient!,
    tableName: options.table!,
    clock,
    runtime: options.runtime ?? systemRuntime,
    callTimeoutMs: callTimeoutMs(options),
  });
}

function makeOwnClient(options: ClientOptions): DynamoDBClient {
  const region = regionOf('table', options.table as string, 'dynamodb', options.region);
  return new DynamoDBClient({
    ...(region !== undefined && { region }),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    maxAttempts: options.maxAttempts ?? defaults.maxAttempts,
    ...sdkTimeOuts(options.requestTimeoutMs ?? defaults.requestTimeoutMs),
  });
}
