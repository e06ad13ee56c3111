import { type HolderInfo, LockLostError, type LossReason, StoreError, UsageError } from '../errors/index.js';
import { publish } from '../events/index.js';
import { sharedController } from '../runtime/index.js';
import type { ItemChange } from '../table/index.js';
import type { Grant } from './acquire-request.js';
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
  /** The item as it stood before the grant; its own attributes are the caller's to read. */
  readonly itemBefore: LeaseItem | undefined;

  readonly #context: LeaseContext;
  readonly #settings: HoldSettings;
  readonly #term: LeaseTerm;
  readonly #heartbeat: Heartbeat;
  readonly #onEnd: () => void;
  readonly #releaseLater: (lease: LeaseIdentity, forMs: number) => void;
  #state: State = 'held';
  #abort: AbortController | undefined;
  #loss: LockLostError | undefined;
  #checkpoint: unknown;
  #lastRenewalFailed: unknown;
  #completionUncertain = false;
  #queue: Promise<unknown> = Promise.resolve();
  #handingOver: Promise<unknown> | undefined;
  #ending: Promise<ReleaseOutcome> | undefined;

  /**
   * Made by `LockClient`.
   *
   * @param onEnd called once when the lease has ended or is lost
   * @param releaseLater releases in the background what the disposer could not, for so many milliseconds at most
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

  /** Aborts when the lease is in danger or over, at the latest a safety margin before its end; the reason is a `LockLostError`. */
  get signal(): AbortSignal {
    // Made when it is asked for: most short holds never do.
    this.#abort ??= sharedController();
    if (this.#loss) this.#abort.abort(this.#loss);
    return this.#abort.signal;
  }

  /** Whether the lease is valid, computed now. */
  get isHeld(): boolean {
    if (this.#state === 'held' && this.remainingMs <= 0)
      this.#lose(this.#reasonForExpiry(), this.#lastRenewalFailed);
    return this.#state === 'held';
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
   * @throws LockLostError when the lease is over without having been released
   */
  throwIfLost(): void {
    if (!this.isHeld && this.#loss) throw this.#loss;
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
   * @param checkpoint anything DynamoDB can store; the next holder finds it. `undefined` takes it away
   * @throws LockLostError when the lease is over and nothing was stored; StoreError when nobody knows
   */
  async save(checkpoint: unknown): Promise<void> {
    await this.renewWith(checkpoint === undefined ? { remove: ['checkpoint'] } : { set: { checkpoint } });
    this.#checkpoint = checkpoint;
  }

  /**
   * Renews and writes further attributes under a further condition, all in one write. For those who build on
   * leases, as the scan does: values of conditions need placeholders of their own.
   *
   * @throws LockLostError, StoreError as {@link renew}
   */
  renewWith(change: ItemChange): Promise<ChangeOutcome> {
    return this.#exclusively(() => this.#renew(change));
  }

  /**
   * Ends the lease; the lock is free at once. After a loss it changes nothing and says so.
   * Does not run on the work's signal, which may be aborted; the table's time-outs bound it.
   *
   * @param change written along; without a condition, since a release must not be refused
   * @param signal gives up waiting for the store; not the work's own
   * @throws StoreError when the store can't be reached: the lease then runs out by itself
   */
  release(change?: Omit<ItemChange, 'condition'>, signal?: AbortSignal): Promise<ReleaseOutcome> {
    this.#ending ??= this.#release(change, signal).catch((error) => {
      this.#ending = undefined;
      throw error;
    });
    return this.#ending;
  }

  /**
   * Marks the work under this name as finished, for good, and ends the lease.
   *
   * @param result anything DynamoDB can store; later callers get it in an `AlreadyCompletedError`
   * @param options.retainMs how long it is kept, in milliseconds. @default the client's `retentionMs`
   * @throws LockLostError when the lease is over (nothing was stored); StoreError when nobody knows
   */
  async complete(result?: unknown, options: { readonly retainMs?: number } = {}): Promise<void> {
    await this.#complete({ result, ...options });
  }

  /** As {@link complete}, with further attributes under a further condition. If that does not hold the lease goes on. */
  completeWith(result: unknown, change: ItemChange): Promise<ChangeOutcome> {
    return this.#complete({ result, change });
  }

  #complete(completion: Completion): Promise<ChangeOutcome> {
    return this.#exclusively(async () => {
      // Asked for before and never answered: a renewal since then takes its own completion for a loss.
      if (!this.#completionUncertain) this.#checkHeld();
      this.#heartbeat.pause();
      try {
        const outcome = await this.#context.store.complete(this, completion);
        this.#completionUncertain = false;
        if (outcome.kind === 'done') {
          this.#end('completed');
          return { applied: true };
        }
        return this.#settled(outcome);
      } catch (error) {
        if (error instanceof StoreError) this.#completionUncertain ||= error.mayHaveApplied;
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
  handOver(options: { readonly leaseMs?: number } = {}): Promise<HandedOver> {
    const gapMs = options.leaseMs ?? this.#settings.wholeLeaseMs;
    if (!(Number.isFinite(gapMs) && gapMs >= 1)) {
      throw new UsageError(`leaseMs: must be a number at least 1, got ${String(gapMs)}`, this.name);
    }
    const handingOver = this.#exclusively(async () => {
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
    this.#handingOver = handingOver.catch(() => {});
    return handingOver;
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
      if (mayPass) this.#releaseLater(this, this.remainingMs);
    }
  }

  async #release(change?: ItemChange, signal?: AbortSignal): Promise<ReleaseOutcome> {
    // `return lease.handOver()` leaves a scope, and so disposes of the lease, before the store has answered.
    if (this.#handingOver) await this.#handingOver;
    if (this.isHeld) this.#state = 'ending';
    // A heartbeat in flight is dropped; whatever becomes of it, it can't touch a released item.
    this.#heartbeat.stop();
    await this.#queue;
    // Completed meanwhile, or before: there is nothing to give back.
    if (this.#hasEnded()) return this.#isHandedOver ? 'handed-over' : 'released';
    if (this.#loss) return this.#releaseLost(this.#loss.reason, signal);
    const outcome = await this.#context.store.release(this, change, signal).finally(() => this.#onEnd());
    if (outcome.kind === 'lost') {
      this.#lose(outcome.reason, undefined);
      return 'lost';
    }
    this.#end('released');
    return 'released';
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
    publish('handed-over', { ...this.#event(), heldMs: this.#term.heldMs, expiresAt });
    return { handOver: 1, name, leaseId, token, owner, expiresAt, leaseMs: this.#settings.wholeLeaseMs };
  }

  /** The lease ran out here, but the item may still carry it: giving it back spares the next taker a wait. */
  async #releaseLost(reason: LossReason, signal?: AbortSignal): Promise<'lost'> {
    // Somebody else's by now, for certain.
    if (reason === 'taken-over' || reason === 'broken') return 'lost';
    try {
      await this.#context.store.release(this, undefined, signal);
    } catch (error) {
      publish('release-failed', { ...this.#event(), error });
    }
    return 'lost';
  }

  async #renew(change: ItemChange, signal?: AbortSignal): Promise<ChangeOutcome> {
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
    if (outcome.kind !== 'done') return this.#settled(outcome);
    this.#lastRenewalFailed = undefined;
    this.#term.confirm(expiresAt);
    if (this.#state === 'held') {
      this.#heartbeat.start();
      publish('renewed', { ...this.#event(), expiresAt });
    }
    return { applied: true };
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

  #checkHeld(): void {
    this.throwIfLost();
    if (this.#state !== 'held')
      throw new UsageError(
        `The lease of "${this.name}" has been ${this.#isHandedOver ? 'handed over' : 'given back'}`,
        this.name,
      );
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
    this.#state = 'ended';
    this.#heartbeat.stop();
    this.#onEnd();
    publish(how, { ...this.#event(), heldMs: this.#term.heldMs });
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
