import { LockLostError, type LossReason, StoreError, UsageError } from '../errors/index.js';
import { type LeaseEvent, publish } from '../events/events.js';
import { sharedController } from '../runtime/index.js';
import type { ItemChange } from '../table/index.js';
import type { Grant } from './acquire-request.js';
import { Heartbeat } from './heartbeat.js';
import type { HolderOutcome, LeaseIdentity } from './holder-requests.js';
import type { LeaseContext } from './lease-store.js';
import { type ChangeOutcome, type HoldSettings, LeaseTerm, type ReleaseOutcome } from './lease-term.js';

/** What a lease tells those who made it. */
export interface HoldListener {
  /** Called once when the lease has ended or is lost. */
  readonly onEnd?: () => void;
  /** Releases in the background what the disposer could not, for so many milliseconds at most. */
  readonly releaseLater?: (lease: LeaseIdentity, forMs: number) => void;
}

/**
 * What stands behind a `Lease`: its state, the heartbeat that keeps it, and the order of its writes.
 *
 *     held ──release / complete / handOver──► ending ──► ended
 *      └──expired, taken over, broken, store unavailable──► lost     (told once, never undone)
 */
export class Hold {
  readonly context: LeaseContext;
  readonly settings: HoldSettings;
  readonly term: LeaseTerm;
  readonly heartbeat: Heartbeat;
  /** As events tell of it. */
  readonly labels: LeaseEvent;
  state: 'held' | 'ending' | 'ended' | 'lost' = 'held';
  /** Why it is over although it was not ended here. */
  loss: LockLostError | undefined;
  /** An attempt to end it, by a release or a completion, was not answered. */
  mayHaveEnded = false;
  /** Finds out what became of a completion that was not answered. */
  settle: ((signal?: AbortSignal) => Promise<ChangeOutcome>) | undefined;

  readonly #listener: HoldListener;
  #abort: AbortController | undefined;
  #releaseRequest: AbortController | undefined;
  #releaseReason: string | undefined;
  #lastRenewalFailed: unknown;
  #queue: Promise<unknown> = Promise.resolve();
  #releaseAsked = false;
  #ending: Promise<ReleaseOutcome> | undefined;
  #handedOver = false;

  /** Begins with a grant. */
  constructor(
    context: LeaseContext,
    labels: LeaseEvent,
    grant: Grant,
    settings: HoldSettings,
    listener: HoldListener,
  ) {
    this.context = context;
    this.labels = labels;
    this.settings = settings;
    this.#listener = listener;
    this.term = new LeaseTerm(context, settings, grant);
    this.heartbeat = new Heartbeat(context.runtime, this);
    this.heartbeat.start();
  }

  get signal(): AbortSignal {
    // Made when it is asked for: most short holds never do.
    this.#abort ??= sharedController();
    if (this.loss) this.#abort.abort(this.loss);
    else if (this.#releaseAsked || this.state !== 'held') this.#abort.abort(this.endedError());
    return this.#abort.signal;
  }

  get releaseRequested(): AbortSignal {
    this.#releaseRequest ??= sharedController();
    if (this.#releaseReason !== undefined) this.#releaseRequest.abort(this.#releaseReason);
    return this.#releaseRequest.signal;
  }

  get isHeld(): boolean {
    this.#loseIfOver();
    return this.state === 'held' && !this.#releaseAsked;
  }

  get remainingMs(): number {
    if (this.state !== 'held' && this.state !== 'ending') return 0;
    return Math.max(0, this.term.leftMs);
  }

  get identity(): LeaseIdentity {
    const { minHoldMs = 0 } = this.settings;
    return {
      ...this.labels,
      mayHaveEnded: this.mayHaveEnded,
      ...(minHoldMs > 0 && this.term.mayBeShorterThan(minHoldMs) && { minHoldMs }),
    };
  }

  endedError(): UsageError {
    const { name } = this.labels;
    const how = this.#handedOver ? 'handed over' : 'given back';
    return new UsageError(`The lease of "${name}" has been ${how}`, name);
  }

  /**
   * Carries out a write in its turn: one at a time, in the order of the calls; a failure of one does not stop the next.
   *
   * @throws LockLostError, UsageError after a release was asked for; what was asked for before it is still carried out
   */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#releaseAsked) throw this.loss ?? this.endedError();
    return this.#exclusively(work);
  }

  renew(change?: ItemChange): Promise<ChangeOutcome> {
    return this.inTurn(() => this.renewNow(change));
  }

  /** Whoever asks while it is under way gets what becomes of that. */
  release(change?: ItemChange, signal?: AbortSignal): Promise<ReleaseOutcome> {
    this.#ending ??= this.#release(change, signal).catch((error) => {
      this.#ending = undefined;
      throw error;
    });
    return this.#ending;
  }

  async #release(change?: ItemChange, signal?: AbortSignal): Promise<ReleaseOutcome> {
    // Whether it is held must be known before nobody looks any more.
    if (this.isHeld) {
      // From here on nothing more is asked for under this lease.
      this.#releaseAsked = true;
      this.#abort?.abort(this.endedError());
    }
    // A heartbeat in flight is dropped; whatever becomes of it, it can't touch a released item.
    this.heartbeat.stop();
    // Behind what was asked for before: a `save`, or the `handOver` of a scope that is left before the store has answered.
    await this.#queue;
    if (this.state === 'held') this.state = 'ending';
    // Completed meanwhile, or before: there is nothing to give back.
    if (this.hasEnded()) return this.#handedOver ? 'handed-over' : 'released';
    if (this.loss) {
      await this.#releaseLost(this.loss.reason, signal);
      return 'lost';
    }
    const outcome = await this.context.store.release(this.identity, change, signal).catch((error) => {
      this.noteUncertain(error);
      this.#listener.onEnd?.();
      throw error;
    });
    if (outcome.kind === 'lost') {
      this.#lose(outcome.reason);
      return 'lost';
    }
    this.end('released');
    return 'released';
  }

  /** Releases; never throws. What the store may take later is repeated in the background. */
  async giveBack(signal?: AbortSignal): Promise<void> {
    if (this.hasEnded()) return;
    try {
      await this.release(undefined, signal);
    } catch (error) {
      this.#releaseLater(error, this.remainingMs, signal);
    }
  }

  #releaseLater(error: unknown, forMs: number, signal?: AbortSignal): void {
    publish('release-failed', { ...this.labels, error });
    const mayPass = error instanceof StoreError && error.retryable && !signal?.aborted;
    if (mayPass) this.#listener.releaseLater?.(this.identity, forMs);
  }

  noteUncertain(error: unknown): void {
    if (error instanceof StoreError) this.mayHaveEnded ||= error.mayHaveApplied;
  }

  /** Asked anew after each wait: a write in flight may have ended the lease. */
  hasEnded(): boolean {
    return this.state === 'ended';
  }

  /** For what is carried out in its turn, also after a release was asked for. */
  checkHeld(): void {
    this.#loseIfOver();
    if (this.state !== 'held') throw this.loss ?? this.endedError();
  }

  /** A clock that was set since the last response must not put the lease's end far into the future. */
  async ensureTime(signal?: AbortSignal): Promise<void> {
    this.checkHeld();
    await this.context.store.ensureTime(signal);
    this.checkHeld();
  }

  async renewTo(expiresAt: number, change?: ItemChange, signal?: AbortSignal): Promise<ChangeOutcome> {
    const outcome = await this.context.store.renew(this.labels, expiresAt, change, signal);
    if (outcome.kind === 'lost' && this.settle) return this.settle(signal);
    if (outcome.kind !== 'done') return this.settled(outcome);
    this.#learnRequest(outcome.before?.releaseRequested);
    this.#lastRenewalFailed = undefined;
    this.term.confirm(expiresAt);
    if (this.state === 'held') {
      this.heartbeat.start();
      publish('renewed', { ...this.labels, expiresAt });
    }
    return { applied: true };
  }

  settled(outcome: Exclude<HolderOutcome, { kind: 'done' }>): ChangeOutcome {
    if (outcome.kind === 'refused') return { applied: false, item: outcome.item };
    this.#lose(outcome.reason);
    throw this.loss;
  }

  /** It has been ended here. */
  end(how: 'released' | 'completed' | 'handed-over'): void {
    const { heldMs, expiresAt } = this.term;
    this.#handedOver = how === 'handed-over';
    const { name, owner, token, leaseId } = this.labels;
    const told = { name, owner, token, leaseId, heldMs };
    if (how === 'handed-over') publish(how, { ...told, expiresAt });
    else publish(how, told);
    this.stop();
  }

  /** Nothing runs any more. */
  stop(): void {
    this.state = 'ended';
    this.heartbeat.stop();
    this.#listener.onEnd?.();
    this.#abort?.abort(this.endedError());
  }

  /** The lease ran out here, but the item may still carry it: giving it back spares the next taker a wait. */
  async #releaseLost(reason: LossReason, signal?: AbortSignal): Promise<void> {
    // Somebody else's by now, for certain.
    if (reason === 'taken-over' || reason === 'broken') return;
    try {
      await this.context.store.release(this.identity, undefined, signal);
    } catch (error) {
      // In the store it may run for longer than here.
      this.#releaseLater(error, this.settings.leaseMs, signal);
    }
  }

  /** In its turn. */
  async renewNow(change?: ItemChange, signal?: AbortSignal): Promise<ChangeOutcome> {
    this.context.closed?.throwIfAborted();
    await this.ensureTime(signal);
    return this.renewTo(this.term.next(), change, signal);
  }

  /** Told once, with the first renewal that finds it. */
  #learnRequest(reason: string | undefined): void {
    if (reason === undefined || this.#releaseReason !== undefined) return;
    this.#releaseReason = reason;
    publish('release-requested', { ...this.labels, reason });
    this.#releaseRequest?.abort(reason);
  }

  /** One heartbeat. Never throws: a failure is told and tried again sooner. */
  async beat(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#exclusively(async () => {
        if (this.state === 'held' && !this.term.isLast) await this.renewNow(undefined, signal);
      });
      return true;
    } catch (error) {
      // Given up by the end of the lease: that is no failure.
      if (this.state === 'held' && !signal.aborted) {
        this.#lastRenewalFailed = error;
        publish('renewal-failed', { ...this.labels, error });
      }
      return false;
    }
  }

  #loseIfOver(): void {
    if (this.state === 'held' && this.remainingMs <= 0) this.expire();
  }

  /** It has run out, or is about to. */
  expire(): void {
    const failed = this.#lastRenewalFailed;
    const byStore = failed instanceof StoreError ? 'store-unavailable' : 'expired';
    this.#lose(this.term.endsByItself ? 'max-hold' : byStore, failed);
  }

  #lose(reason: LossReason, cause?: unknown): void {
    if (this.state !== 'held' && this.state !== 'ending') return;
    this.state = 'lost';
    this.heartbeat.stop();
    const { name, token } = this.labels;
    const error = new LockLostError(name, reason, token, cause === undefined ? undefined : { cause });
    this.loss = error;
    this.#listener.onEnd?.();
    publish('lost', { ...this.labels, heldMs: this.term.heldMs, reason, error });
    this.#abort?.abort(error);
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }
}
