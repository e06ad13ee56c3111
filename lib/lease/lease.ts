import { type HolderInfo, LockLostError, type LossReason, StoreError, UsageError } from '../errors/index.js';
import { publish } from '../events/index.js';
import { sharedController } from '../runtime/index.js';
import type { ItemChange } from '../table/index.js';
import type { Grant } from './acquire-request.js';
import { checkNumber, checkOptions, minRetentionMs } from './check-options.js';
import type { HandedOver } from './handed-over.js';
import { Heartbeat } from './heartbeat.js';
import {
  type ChangeOutcome,
  type HoldSettings,
  type ReleaseOutcome,
  type TakenOver,
  takenOverBy,
} from './hold-terms.js';
import type { HolderOutcome, LeaseIdentity } from './holder-requests.js';
import type { LeaseContext } from './lease-context.js';
import type { LeaseItem } from './lease-item.js';
import type { Completion } from './lease-store.js';
import { LeaseTerm } from './lease-term.js';
import { toStorable } from './storable.js';

const completeOptions = ['retainMs'];
const handOverOptions = ['leaseMs'];

type State = 'held' | 'ending' | 'ended' | 'handed-over' | 'lost';

/**
 * A lease that was granted: proof, for as long as it is valid, that nobody else holds the name.
 *
 *     held ──release / complete──► ending ──► ended
 *      ├──handOver──► handed over     (another process goes on with it)
 *      └──expired, taken over, broken, store unavailable──► lost     (told once, never undone)
 *
 * While held, a heartbeat renews it; one write at a time. `signal` fires a safety margin before the lease could
 * end. `isHeld` and `throwIfLost` are computed from the clocks at the call, so they are right even after a
 * blocked event loop or a thawed Lambda. A lease alone is not mutual exclusion: give `token` to what you write to.
 */
export class Lease implements AsyncDisposable {
  readonly name: string;
  /** The fencing token: larger than that of every lease granted under this name before. */
  readonly token: number;
  readonly owner: string;
  /** This lease's identity in the store. */
  readonly leaseId: string;
  /** Store time of the grant, milliseconds since the epoch. */
  readonly acquiredAt: number;
  /** Set when the lock was taken from a lease that had not been released. */
  readonly takenOverFrom: TakenOver | undefined;
  /**
   * The item as it stood before the grant; its own attributes are the caller's to read.
   *
   * @internal
   */
  readonly itemBefore: LeaseItem | undefined;

  readonly #context: LeaseContext;
  readonly #settings: HoldSettings;
  readonly #term: LeaseTerm;
  readonly #heartbeat: Heartbeat;
  readonly #onEnd: () => void;
  readonly #releaseLater: (lease: LeaseIdentity, forMs: number) => void;
  #state: State = 'held';
  #abort: AbortController | undefined;
  #releaseRequest: AbortController | undefined;
  #releaseReason: string | undefined;
  #loss: LockLostError | undefined;
  #checkpoint: unknown;
  #lastRenewalFailed: unknown;
  /** An attempt to end it, by a release or a completion, was not answered. */
  #mayHaveEnded = false;
  #unanswered: Completion | undefined;
  #foundCompleted = false;
  #queue: Promise<unknown> = Promise.resolve();
  #releaseAsked = false;
  #ending: Promise<ReleaseOutcome> | undefined;

  /**
   * Made by `LockClient`.
   *
   * @param onEnd called once when the lease has ended or is lost
   * @param releaseLater releases in the background what the disposer could not, for so many milliseconds at most
   * @internal
   */
  constructor(
    context: LeaseContext,
    identity: { readonly name: string; readonly owner: string },
    grant: Grant,
    settings: HoldSettings,
    onEnd: () => void = () => {},
    releaseLater: (lease: LeaseIdentity, forMs: number) => void = () => {},
  ) {
    this.name = identity.name;
    this.owner = identity.owner;
    this.token = grant.token;
    this.leaseId = grant.leaseId;
    this.acquiredAt = grant.acquiredAt;
    this.itemBefore = grant.item;
    this.takenOverFrom = takenOverBy(grant);
    this.#context = context;
    this.#settings = settings;
    this.#onEnd = onEnd;
    this.#releaseLater = releaseLater;
    this.#term = new LeaseTerm(context, settings, grant);
    this.#checkpoint = grant.item?.checkpoint;
    this.#heartbeat = new Heartbeat(context.runtime, {
      renewEveryMs: settings.renewEveryMs,
      dangerInMs: () => this.#term.dangerInMs,
      renew: (signal) => this.#beat(signal),
      onDanger: () => this.#lose(this.#reasonForExpiry(), this.#lastRenewalFailed),
    });
    this.#heartbeat.start();
  }

  /**
   * Aborts when the lease is in danger, at the latest a safety margin before its end: the reason is a `LockLostError`.
   * And when the lease is ended here, as by {@link release}: the reason is a `UsageError`, for work that nobody awaited.
   */
  get signal(): AbortSignal {
    // Made when it is asked for: most short holds never do.
    this.#abort ??= sharedController();
    if (this.#loss) this.#abort.abort(this.#loss);
    else if (this.#isGivenUp) this.#abort.abort(this.#endedError());
    return this.#abort.signal;
  }

  /**
   * Aborts when somebody asks this holder to let go (`requestRelease`); the reason is theirs, a text. Nothing is lost yet:
   * release when it suits, or go on. Learnt with a renewal.
   */
  get releaseRequested(): AbortSignal {
    this.#releaseRequest ??= sharedController();
    if (this.#releaseReason !== undefined) this.#releaseRequest.abort(this.#releaseReason);
    return this.#releaseRequest.signal;
  }

  /** Whether the lease is valid, computed now. */
  get isHeld(): boolean {
    this.#loseIfOver();
    return this.#state === 'held' && !this.#releaseAsked;
  }

  /** Why the lease is over although it was not ended here; `undefined` while it is not lost. Computed now. */
  get loss(): LockLostError | undefined {
    return this.isHeld ? undefined : this.#loss;
  }

  /** How long the lease is still valid if it is not renewed, in milliseconds; 0 when it is over. */
  get remainingMs(): number {
    if (this.#state !== 'held' && this.#state !== 'ending') return 0;
    return Math.max(0, this.#term.leftMs);
  }

  /** The checkpoint as this lease last saved it, or as the holder before left it. */
  get checkpoint(): unknown {
    return this.#checkpoint;
  }

  /** What an operator or a waiter is told about this lease. */
  get holderInfo(): HolderInfo {
    const { owner, token, leaseId, acquiredAt, remainingMs } = this;
    return { owner, token, leaseId, acquiredAt, remainingMs };
  }

  /**
   * Computed now, without a request.
   *
   * @throws LockLostError when the lease is over without having been ended here; UsageError when it was ended here, by
   *   {@link release}, {@link complete} or {@link handOver}
   */
  throwIfLost(): void {
    if (this.isHeld) return;
    throw this.#loss ?? this.#endedError();
  }

  /**
   * Renews now, instead of at the next heartbeat.
   *
   * @throws LockLostError when the lease is over; StoreError when the store did not answer (the lease goes on)
   */
  async renew(): Promise<void> {
    await this.renewWith({});
  }

  /**
   * Stores progress, together with a renewal: no request more than the heartbeat would have cost.
   *
   * @param checkpoint anything DynamoDB can store, at most 384 KB, as it is at the call; dates and instances of classes
   *   are stored as JSON would have them. The next holder finds it. `undefined` takes it away
   * @throws UsageError when it can't be stored; LockLostError when the lease is over and nothing was stored; StoreError when nobody knows
   */
  async save(checkpoint: unknown): Promise<void> {
    // As it is now: the write may have to wait for another one.
    const kept = toStorable(checkpoint, 'save', this.name);
    await this.renewWith(kept === undefined ? { remove: ['checkpoint'] } : { set: { checkpoint: kept } });
    this.#checkpoint = kept;
  }

  /**
   * Renews and writes further attributes under a further condition, all in one write. For those who build on
   * leases, as the scan does: values of conditions need placeholders of their own.
   *
   * @throws LockLostError, StoreError as {@link renew}
   * @internal
   */
  async renewWith(change: ItemChange): Promise<ChangeOutcome> {
    this.#checkNotReleased();
    return this.#exclusively(() => this.#renew(change));
  }

  /**
   * Ends the lease; the lock is free at once. What was asked for before, as by {@link save}, is carried out before it;
   * what is asked for after it is refused. After a loss it changes nothing and says so.
   * Does not run on the work's signal, which may be aborted; the table's time-outs bound it.
   *
   * @throws StoreError when the store can't be reached: the lease then runs out by itself
   */
  release(): Promise<ReleaseOutcome>;
  /**
   * @param change written along; without a condition, since a release must not be refused
   * @param signal gives up waiting for the store; not the work's own
   * @internal
   */
  release(change?: Omit<ItemChange, 'condition'>, signal?: AbortSignal): Promise<ReleaseOutcome>;
  release(change?: Omit<ItemChange, 'condition'>, signal?: AbortSignal): Promise<ReleaseOutcome> {
    this.#ending ??= this.#release(change && { ...change }, signal).catch((error) => {
      this.#ending = undefined;
      throw error;
    });
    return this.#ending;
  }

  /**
   * Marks the work under this name as finished, for good, and ends the lease.
   *
   * The item stays until it is reopened, and is paid for as storage: with `retainMs` Time to Live removes it after a while.
   *
   * @param result anything DynamoDB can store, at most 384 KB, as it is at the call; dates and instances of classes are
   *   stored as JSON would have them. Later callers get it in an `AlreadyCompletedError`
   * @param options.retainMs how long it is kept, in milliseconds, at least a day. @default for good
   * @throws UsageError when it can't be stored, and nothing was changed; LockLostError when the lease is over (nothing was stored); StoreError when nobody knows
   */
  async complete(result?: unknown, options: { readonly retainMs?: number } = {}): Promise<void> {
    checkOptions('complete', options, completeOptions);
    const { retainMs } = options;
    if (retainMs !== undefined) checkNumber('retainMs', retainMs, minRetentionMs);
    const kept = toStorable(result, 'complete', this.name);
    await this.#complete({ result: kept, ...(retainMs !== undefined && { retainMs }) });
  }

  /**
   * As {@link complete}, with further attributes under a further condition. If that does not hold the lease goes on. Kept
   * for the client's `retentionMs`.
   *
   * @internal
   */
  completeWith(result: unknown, change: ItemChange): Promise<ChangeOutcome> {
    return this.#complete({ result, change, retainMs: this.#context.retentionMs });
  }

  async #complete(completion: Completion): Promise<ChangeOutcome> {
    this.#checkNotReleased();
    return this.#exclusively(async () => {
      if (this.#foundCompleted) return { applied: true };
      // Asked for before and never answered: it may be over because it was carried out.
      if (!this.#mayHaveEnded) this.#checkHeld();
      if (this.#state === 'held') this.#heartbeat.pause();
      try {
        const outcome = await this.#context.store.complete(this.#identity, completion);
        this.#mayHaveEnded = false;
        this.#unanswered = undefined;
        if (outcome.kind === 'done') {
          this.#end('completed');
          return { applied: true };
        }
        return this.#settled(outcome);
      } catch (error) {
        this.#noteUncertain(error);
        if (this.#mayHaveEnded) this.#unanswered ??= completion;
        throw error;
      } finally {
        if (this.#state === 'held') this.#heartbeat.start();
      }
    });
  }

  /**
   * Ends the lease here without freeing the lock, so that another process can go on with it: `resume` takes what this
   * answers. One write. Do it last. Nobody else can have the lock until `expiresAt`; if nobody goes on with it by then,
   * it is as free as after a crash. The time that this process itself has left plays no part.
   *
   * @param options.leaseMs how long the lease shall last from now on, in milliseconds: the gap until somebody goes on
   *   with it. @default the length of the lease
   * @returns JSON, e.g. for the next state of a Step Functions execution
   * @throws LockLostError when the lease is over; StoreError when the store did not answer (the lease goes on here);
   *   UsageError after a release, or a second time
   */
  async handOver(options: { readonly leaseMs?: number } = {}): Promise<HandedOver> {
    checkOptions('handOver', options, handOverOptions);
    this.#checkNotReleased();
    const gapMs = options.leaseMs ?? this.#settings.wholeLeaseMs;
    if (!(Number.isFinite(gapMs) && gapMs >= 1)) {
      throw new UsageError(`leaseMs: must be a number at least 1, got ${String(gapMs)}`, this.name);
    }
    return this.#exclusively(async () => {
      this.#checkHeld();
      this.#heartbeat.pause();
      try {
        await this.#ensureTime();
        await this.#renewTo(this.#term.nextOver(gapMs), {});
        // It may have been lost while the store was asked.
        this.#checkHeld();
        return this.#handedOver();
      } finally {
        if (this.#state === 'held') this.#heartbeat.start();
      }
    });
  }

  /**
   * Releases; never throws. A release that failed is told on `leasehold:release-failed`; if the store may take it later
   * it is repeated in the background, for as long as the lease would last.
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.giveBack();
  }

  /** As the disposer. `signal` gives up waiting for the store: for those whose own time runs out. */
  async giveBack(signal?: AbortSignal): Promise<void> {
    if (this.#hasEnded()) return;
    try {
      await this.release(undefined, signal);
    } catch (error) {
      publish('release-failed', { ...this.#event(), error });
      const mayPass = error instanceof StoreError && error.retryable && !signal?.aborted;
      if (mayPass) this.#releaseLater(this.#identity, this.remainingMs);
    }
  }

  async #release(change?: ItemChange, signal?: AbortSignal): Promise<ReleaseOutcome> {
    // Whether it is held must be known before nobody looks any more.
    if (this.isHeld) this.#giveUp();
    // A heartbeat in flight is dropped; whatever becomes of it, it can't touch a released item.
    this.#heartbeat.stop();
    // Behind what was asked for before: a `save`, or the `handOver` of a scope that is left before the store has answered.
    await this.#queue;
    if (this.#state === 'held') this.#state = 'ending';
    // Completed meanwhile, or before: there is nothing to give back.
    if (this.#hasEnded()) return this.#isHandedOver ? 'handed-over' : 'released';
    if (this.#loss) return this.#releaseLost(this.#loss.reason, signal);
    const outcome = await this.#context.store
      .release(this.#identity, change, signal)
      .catch((error) => {
        this.#noteUncertain(error);
        throw error;
      })
      .finally(() => this.#onEnd());
    if (outcome.kind === 'lost') {
      this.#lose(outcome.reason, undefined);
      return 'lost';
    }
    this.#end('released');
    return 'released';
  }

  /** From here on nothing more is asked for under this lease. */
  #giveUp(): void {
    this.#releaseAsked = true;
    this.#abort?.abort(this.#endedError());
  }

  /** Ended here, or about to be. */
  get #isGivenUp(): boolean {
    return this.#releaseAsked || this.#state === 'ending' || this.#hasEnded();
  }

  #endedError(): UsageError {
    const how = this.#isHandedOver ? 'handed over' : 'given back';
    return new UsageError(`The lease of "${this.name}" has been ${how}`, this.name);
  }

  /** What is asked for after a release is refused; what was asked for before it is still carried out. */
  #checkNotReleased(): void {
    if (this.#releaseAsked) throw this.#loss ?? this.#endedError();
  }

  get #identity(): LeaseIdentity {
    const { name, leaseId, token } = this;
    const { minHoldMs } = this.#settings;
    return {
      ...{ name, leaseId, token },
      ...(this.#mayHaveEnded && { mayHaveEnded: true }),
      ...(minHoldMs !== undefined && this.#mayBeBefore(this.acquiredAt + minHoldMs) && { minHoldMs }),
    };
  }

  #mayBeBefore(storeTimeMs: number): boolean {
    return this.#context.clock.now().earliest < storeTimeMs;
  }

  #noteUncertain(error: unknown): void {
    if (error instanceof StoreError) this.#mayHaveEnded ||= error.mayHaveApplied;
  }

  /** Asked anew after each wait: a write in flight may have ended the lease. */
  #hasEnded(): boolean {
    return this.#state === 'ended' || this.#isHandedOver;
  }

  get #isHandedOver(): boolean {
    return this.#state === 'handed-over';
  }

  #handedOver(): HandedOver {
    this.#state = 'handed-over';
    this.#heartbeat.stop();
    this.#onEnd();
    const { name, leaseId, token, owner } = this;
    const { expiresAt } = this.#term;
    this.#abort?.abort(this.#endedError());
    publish('handed-over', { ...this.#event(), heldMs: this.#term.heldMs, expiresAt });
    return { handOver: 1, name, leaseId, token, owner, expiresAt, leaseMs: this.#settings.wholeLeaseMs };
  }

  /** The lease ran out here, but the item may still carry it: giving it back spares the next taker a wait. */
  async #releaseLost(reason: LossReason, signal?: AbortSignal): Promise<'lost'> {
    // Somebody else's by now, for certain.
    if (reason === 'taken-over' || reason === 'broken') return 'lost';
    try {
      await this.#context.store.release(this.#identity, undefined, signal);
    } catch (error) {
      publish('release-failed', { ...this.#event(), error });
    }
    return 'lost';
  }

  async #renew(change: ItemChange, signal?: AbortSignal): Promise<ChangeOutcome> {
    this.#context.closed?.throwIfAborted();
    await this.#ensureTime(signal);
    return this.#renewTo(this.#term.next(), change, signal);
  }

  /** A clock that was set since the last response must not put the lease's end far into the future. */
  async #ensureTime(signal?: AbortSignal): Promise<void> {
    this.#checkHeld();
    await this.#context.store.ensureTime(signal);
    this.#checkHeld();
  }

  async #renewTo(expiresAt: number, change: ItemChange, signal?: AbortSignal): Promise<ChangeOutcome> {
    const outcome = await this.#context.store.renew(this, expiresAt, change, signal);
    if (outcome.kind === 'lost' && this.#unanswered) return this.#settleUnanswered(this.#unanswered, signal);
    if (outcome.kind !== 'done') return this.#settled(outcome);
    this.#learnRequest(outcome.before?.releaseRequested);
    this.#lastRenewalFailed = undefined;
    this.#term.confirm(expiresAt);
    if (this.#state === 'held') {
      this.#heartbeat.start();
      publish('renewed', { ...this.#event(), expiresAt });
    }
    return { applied: true };
  }

  /**
   * The lease is over, and a completion that nobody answered may be what ended it. Asked for again it tells, and can't
   * be applied any more. Where nobody can know the lease ends here, and is not told to be lost.
   */
  async #settleUnanswered(completion: Completion, signal?: AbortSignal): Promise<ChangeOutcome> {
    let outcome: HolderOutcome;
    try {
      outcome = await this.#context.store.complete(this.#identity, completion, signal);
    } catch (error) {
      publish('renewal-failed', { ...this.#event(), error });
      this.#stop();
      throw error;
    }
    if (outcome.kind !== 'done') return this.#settled(outcome);
    this.#foundCompleted = true;
    this.#end('completed');
    throw this.#endedError();
  }

  /** Told once, with the first renewal that finds it. */
  #learnRequest(reason: string | undefined): void {
    if (reason === undefined || this.#releaseReason !== undefined) return;
    this.#releaseReason = reason;
    publish('release-requested', { ...this.#event(), reason });
    this.#releaseRequest?.abort(reason);
  }

  /** One heartbeat. Never throws: a failure is told and tried again sooner. */
  async #beat(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#exclusively(async () => {
        if (this.#state === 'held' && !this.#term.isLast) await this.#renew({}, signal);
      });
      return true;
    } catch (error) {
      if (this.#state === 'held') {
        this.#lastRenewalFailed = error;
        publish('renewal-failed', { ...this.#event(), error });
      }
      return false;
    }
  }

  #settled(outcome: Exclude<HolderOutcome, { kind: 'done' }>): ChangeOutcome {
    if (outcome.kind === 'refused') return { applied: false, item: outcome.item };
    this.#lose(outcome.reason, undefined);
    throw this.#loss;
  }

  /** For what is carried out in its turn, also after a release was asked for. */
  #checkHeld(): void {
    this.#loseIfOver();
    if (this.#loss) throw this.#loss;
    if (this.#state !== 'held') throw this.#endedError();
  }

  #loseIfOver(): void {
    if (this.#state === 'held' && this.remainingMs <= 0)
      this.#lose(this.#reasonForExpiry(), this.#lastRenewalFailed);
  }

  #lose(reason: LossReason, cause: unknown): void {
    if (this.#state !== 'held' && this.#state !== 'ending') return;
    this.#state = 'lost';
    this.#heartbeat.stop();
    const error = new LockLostError(
      this.name,
      reason,
      this.token,
      cause === undefined ? undefined : { cause },
    );
    this.#loss = error;
    this.#onEnd();
    publish('lost', { ...this.#event(), heldMs: this.#term.heldMs, reason, error });
    this.#abort?.abort(error);
  }

  #end(how: 'released' | 'completed'): void {
    publish(how, { ...this.#event(), heldMs: this.#term.heldMs });
    this.#stop();
  }

  #stop(): void {
    this.#state = 'ended';
    this.#heartbeat.stop();
    this.#onEnd();
    this.#abort?.abort(this.#endedError());
  }

  #reasonForExpiry(): LossReason {
    if (this.#term.endsByItself) return 'max-hold';
    return this.#lastRenewalFailed instanceof StoreError ? 'store-unavailable' : 'expired';
  }

  /** One write at a time, in the order of the calls; a failure of one does not stop the next. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  #event() {
    return { name: this.name, owner: this.owner, token: this.token, leaseId: this.leaseId };
  }
}
