import { elapsedBetween, type LocalInstant } from '../clock/store-clock.js';
import { AlreadyCompletedError, type HolderInfo, LockHeldError, StoreError } from '../errors/index.js';
import { publish } from '../events/events.js';
import {
  freeAfter,
  type Grant,
  type GrantOutcome,
  type HoldSettings,
  type LeaseContext,
  type LeaseItem,
  takeoverBefore,
} from '../lease/index.js';
import { isUnrenewed } from '../lease/later-conditions.js';
import { sleep } from '../runtime/index.js';
import { all, type ItemChange } from '../table/index.js';
import { type AcquisitionRequest, type Attempt, attemptGrant, findGrant } from './attempt.js';
import type { BackgroundRelease } from './background-release.js';
import type { WaitPacing } from './wait-pacing.js';

/** What an acquisition needs of its client. */
export interface AcquisitionHost {
  readonly context: LeaseContext;
  /** Gives leases back in the background, now or when their write arrives late. */
  readonly giveBack: Pick<BackgroundRelease, 'start' | 'noteRefused' | 'isLeftBehind'>;
}

/**
 * One acquire call that did not get the lock at once: from its first write, which has been made, to a grant or an error.
 *
 *     write ──granted──► valid on arrival? ──yes──► done
 *       ▲  └─held──► sleep ► read ► free or expired? ──yes──┐
 *       └────────────────────────────────────────────────────┘
 *
 * The first try is the write itself. While the lock is held it only reads: refused writes would eat the write
 * capacity that the holder's renewals need. Throttling and 5xx are part of waiting.
 */
export class Acquisition {
  readonly #host: AcquisitionHost;
  readonly #request: AcquisitionRequest;
  readonly #pacing: WaitPacing;
  /** Granted to this call, and not handed out. */
  readonly #spent = new Set<string>();
  #leaseId: string;
  #terms: HoldSettings;
  #seen: LeaseItem | undefined;
  /** By now it had been seen first, as it is: the same lease with the same end. */
  #seenSince: LocalInstant;
  /** Up to here nothing that was asked for under this lease id was the lease in the item. */
  #askedAt: LocalInstant;
  #lastError: StoreError | undefined;
  /** A write of ours may be applied although we were not told. */
  #uncertain = false;
  #toldHeld = false;
  #first: Attempt | undefined;

  /** @param since before the first attempt */
  constructor(
    host: AcquisitionHost,
    request: AcquisitionRequest,
    first: Attempt,
    pacing: WaitPacing,
    since: LocalInstant,
  ) {
    this.#host = host;
    this.#request = request;
    this.#pacing = pacing;
    this.#first = first;
    this.#leaseId = first.leaseId;
    this.#terms = first.terms;
    this.#askedAt = since;
    this.#seenSince = host.context.clock.instant();
  }

  /** What was asked for in the last write. */
  get terms(): HoldSettings {
    return this.#terms;
  }

  /**
   * @throws LockHeldError when it stayed held for as long as the caller was willing to wait
   * @throws AlreadyCompletedError, StoreError, UsageError; once its signal has aborted, whatever that ended
   */
  async run(): Promise<Grant> {
    try {
      for (;;) {
        const grant = await this.#tryOnce();
        if (grant) return grant;
        if (!(await this.#worthTrying())) throw this.#gaveUp();
      }
    } catch (error) {
      if (this.#uncertain) this.#giveBack();
      else this.#host.giveBack.noteRefused(this.#leaseId);
      throw error;
    }
  }

  /** The write, and with it a supersede's second write. Failures that pass count as "not yet". */
  async #tryOnce(): Promise<Grant | undefined> {
    const { name } = this.#request;
    try {
      let outcome = await this.#write();
      if (outcome.kind === 'held' && this.#isOwn(outcome.item)) {
        outcome = await this.#write(outcome.item);
      }
      if (outcome.kind === 'completed') {
        throw new AlreadyCompletedError(name, outcome.item.result, outcome.item.completedAt!);
      }
      if (outcome.kind === 'granted') return this.#accepted(outcome);
      if (outcome.kind === 'expired') this.#arrivedOver();
      else if (outcome.kind === 'given-back') this.#startOver();
      else this.#note(outcome.item);
    } catch (error) {
      this.#tolerate(error);
    }
    return undefined;
  }

  async #write(seen?: LeaseItem) {
    const { context } = this.#host;
    const watched = !seen && this.#untilGivenUpMs() <= 0 ? this.#seen : undefined;
    const { leaseId: seenLeaseId, version: seenToken } = seen ?? watched ?? {};
    const request = {
      ...this.#request,
      aboveToken: (seen ?? this.#seen)?.version,
      seenLeaseId,
      seenToken,
      askedAt: this.#askedAt,
      ...(watched && { change: whileUnrenewed(this.#request.change, watched) }),
    };
    const attempt = this.#first ?? (await attemptGrant(context, request, this.#leaseId));
    this.#first = undefined;
    this.#terms = attempt.terms;
    if (attempt.failure) throw attempt.failure.error;
    const outcome = attempt.outcome!;
    if (outcome.kind === 'held' && outcome.mayArriveLate) this.#uncertain = true;
    return outcome;
  }

  /** A grant that took too long to arrive is given back, not handed out. */
  #accepted(outcome: GrantOutcome & { readonly kind: 'granted' }): Grant | undefined {
    const { adopted, item } = outcome.grant;
    // An earlier attempt may have asked for less, and so long it may be watched. What no holder has written is no length.
    const writtenMs = (adopted && Number(item?.leaseMs)) || Number.POSITIVE_INFINITY;
    this.#terms = { ...this.#terms, leaseMs: Math.min(this.#terms.leaseMs, writtenMs) };
    const grant = findGrant(this.#host.context, { leaseId: this.#leaseId, terms: this.#terms, outcome });
    if (!grant) this.#arrivedOver();
    return grant;
  }

  #arrivedOver(): void {
    this.#giveBack();
    this.#startOver();
    this.#lastError = new StoreError(
      `The grant of "${this.#request.name}" arrived when its lease was already over`,
      this.#request.name,
      { retryable: true, mayHaveApplied: false },
    );
  }

  /** Reads until the lock could be won; false when there is no time left. */
  async #worthTrying(): Promise<boolean> {
    const { context } = this.#host;
    const { name, signal } = this.#request;
    while (!this.#shouldGiveUp() && this.#pacing.leftMs > 0) {
      await sleep(context.runtime, this.#pacing.nextDelayMs(this.#untilExpiryMs()), signal);
      try {
        const lookedAt = context.clock.instant();
        const item = await context.store.read(name, this.#leaseId, signal);
        if (item?.leaseId !== this.#leaseId) this.#askedAt = lookedAt;
        this.#note(item);
        if (this.#mayWin()) return true;
      } catch (error) {
        this.#tolerate(error);
      }
    }
    return false;
  }

  #shouldGiveUp(): boolean {
    return this.#seen !== undefined && (this.#request.giveUpWhen?.(this.#seen) ?? false);
  }

  #mayWin(): boolean {
    if (this.#shouldGiveUp()) return false;
    const item = this.#seen;
    if (item === undefined || item.completedAt !== undefined) return true;
    // Ours: an earlier write of this call arrived after all; the next one adopts it.
    if (item.leaseId === this.#leaseId || this.#isOwn(item)) return true;
    if (this.#untilGivenUpMs() <= 0) return true;
    return freeAfter(item, this.#request.lockDelayMs) < takeoverBefore(this.#host.context);
  }

  #isOwn(item: LeaseItem | undefined): boolean {
    const { supersede = false, owner } = this.#request;
    return supersede && item?.leaseId !== undefined && item.owner === owner;
  }

  #untilExpiryMs(): number | undefined {
    const { context } = this.#host;
    if (this.#seen === undefined || !context.clock.isSet) return undefined;
    const untilMs = freeAfter(this.#seen, this.#request.lockDelayMs) - takeoverBefore(context);
    return Number.isFinite(untilMs) ? Math.min(untilMs, this.#untilGivenUpMs()) + 1 : undefined;
  }

  /**
   * Until the lease in the item, if nothing renews it, has been seen for all its length: its holder, which asked for it before
   * it could be seen, has given it up by then. Counted by whichever clock shows less.
   */
  #untilGivenUpMs(): number {
    const { lockDelayMs = 0 } = this.#request;
    const { leaseId, leaseMs } = this.#seen ?? {};
    // Whatever somebody has written there by hand. Its own is adopted.
    const watchMs = leaseId === undefined || leaseId === this.#leaseId ? 0 : Number(leaseMs);
    if (!(watchMs > 0)) return Number.POSITIVE_INFINITY;
    return watchMs + lockDelayMs - elapsedBetween(this.#seenSince, this.#host.context.clock.instant()).least;
  }

  /** What the store showed last; the first time it is told that the lock is held. */
  #note(item: LeaseItem | undefined): void {
    const { leaseId, version, expiresAt } = this.#seen ?? {};
    const isOther = item?.leaseId !== leaseId || item?.version !== version;
    if (isOther) this.#pacing.reset(this.#heldForMs(item));
    if (isOther || item?.expiresAt !== expiresAt) this.#seenSince = this.#host.context.clock.instant();
    this.#seen = item;
    // While a lease of our own is in the way it is the store that keeps us from the lock.
    if (this.#isOurs(item)) return;
    this.#lastError = undefined;
    if (this.#toldHeld || (item?.leaseId ?? item?.freeFrom) === undefined) return;
    this.#toldHeld = true;
    publish('held', { name: this.#request.name, owner: this.#request.owner, holder: this.#holder() });
  }

  /** About, for the pace of looks: nothing else rests on it. */
  #heldForMs(item: LeaseItem | undefined): number {
    const { clock } = this.#host.context;
    if (item?.acquiredAt === undefined || !clock.isSet) return 0;
    return Math.max(0, clock.now().latest - item.acquiredAt);
  }

  #tolerate(error: unknown): void {
    if (!(error instanceof StoreError)) throw error;
    if (error.mayHaveApplied) this.#uncertain = true;
    if (!error.retryable || this.#request.signal?.aborted) throw error;
    this.#lastError = error;
  }

  #gaveUp(): Error {
    const { name } = this.#request;
    const holder = this.#holder();
    // Never heard of a holder: the store is what stood in the way.
    if (!holder && this.#lastError) return this.#lastError;
    const { waitedMs } = this.#pacing;
    return new LockHeldError(name, holder, waitedMs, { cause: this.#lastError, freeInMs: this.#freeInMs() });
  }

  /** Where nobody holds it, and nobody gets it yet. */
  #freeInMs(): number | undefined {
    if (this.#seen === undefined || this.#seen.leaseId !== undefined || this.#mayWin()) return undefined;
    return this.#untilExpiryMs();
  }

  #holder(): HolderInfo | undefined {
    const item = this.#seen;
    if (item?.leaseId === undefined || this.#isOurs(item)) return undefined;
    return {
      owner: item.owner ?? 'unknown',
      token: item.version,
      leaseId: item.leaseId || undefined,
      acquiredAt: item.acquiredAt ?? 0,
      remainingMs: Math.max(0, item.expiresAt! - this.#host.context.clock.now().latest),
    };
  }

  /** A write of this very call that was never answered, or a lease that another one has left behind: nobody else's. */
  #isOurs(item: LeaseItem | undefined): boolean {
    const leaseId = item?.leaseId;
    if (leaseId === undefined) return false;
    return leaseId === this.#leaseId || this.#spent.has(leaseId) || this.#host.giveBack.isLeftBehind(leaseId);
  }

  #giveBack(): void {
    this.#host.giveBack.start({ name: this.#request.name, leaseId: this.#leaseId }, this.#terms.leaseMs);
  }

  /** The lease id is spent; what comes next is a new request. */
  #startOver(): void {
    this.#spent.add(this.#leaseId);
    this.#leaseId = this.#host.context.runtime.randomId();
    this.#uncertain = false;
    // What was seen last may have been the lease that is given back.
    this.#seen = undefined;
  }
}

/** The same, on the condition that the lease that it takes over is as it was seen. */
function whileUnrenewed(change: ItemChange | undefined, { version, expiresAt }: LeaseItem): ItemChange {
  return { ...change, condition: all(change?.condition, isUnrenewed(version, expiresAt!)) };
}
