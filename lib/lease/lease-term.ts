import { elapsedBetween, type LocalInstant } from '../clock/store-clock.js';
import type { Grant } from './acquire-request.js';
import { endFor } from './lease-context.js';
import type { LeaseItem } from './lease-item.js';
import type { LeaseContext } from './lease-store.js';

/** When a lease ends: what the store has confirmed, what was asked for, and how much of it is left. All in milliseconds. */
export class LeaseTerm {
  readonly #context: LeaseContext;
  readonly #settings: HoldSettings;
  readonly #acquiredAt: number;
  /** The store's end of the lease is so much later than the holder's. */
  readonly #surplusMs: number;
  #expiresAt: number;
  /** What set the end was sent no sooner than this. */
  #askedAt: LocalInstant;
  /** What was asked for last was not sent before this. */
  #nextAskedAt: LocalInstant;
  #highestAsked: number;

  /** Begins with a grant. */
  constructor(
    context: LeaseContext,
    settings: HoldSettings,
    grant: Pick<Grant, 'acquiredAt' | 'expiresAt' | 'surplusMs' | 'askedAt'>,
  ) {
    this.#context = context;
    this.#settings = settings;
    this.#acquiredAt = grant.acquiredAt;
    this.#expiresAt = grant.expiresAt;
    this.#askedAt = this.#nextAskedAt = grant.askedAt;
    this.#surplusMs = grant.surplusMs ?? 0;
    this.#highestAsked = grant.expiresAt + this.#surplusMs;
  }

  /** As the store has confirmed it, in store time. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  /**
   * Until the lease is over, computed now: by the store's time, by its length since it was asked for, and by the holder's own
   * end where it has one.
   */
  get leftMs(): number {
    return Math.min(this.#leftByStoreMs, this.#leftUnwatchedMs, this.#leftByHolderMs);
  }

  /** Until the lease must be given up. */
  get dangerInMs(): number {
    return this.leftMs - this.#settings.safetyMarginMs;
  }

  /** From the grant to now. */
  get heldMs(): number {
    return Math.max(0, this.#context.clock.now().latest - this.#acquiredAt);
  }

  /** Whether it may be held for less than this so far. */
  mayBeShorterThan(minHoldMs: number): boolean {
    return this.#context.clock.now().earliest < this.#acquiredAt + minHoldMs;
  }

  /** Nothing is left to renew. */
  get isLast(): boolean {
    const { leaseMs, maxHoldMs = Number.POSITIVE_INFINITY } = this.#settings;
    // The store has whole milliseconds; what a caller has left may be a fraction more.
    return leaseMs >= maxHoldMs || this.#expiresAt >= Math.floor(this.#acquiredAt + maxHoldMs);
  }

  /** Whether it is a cap or the holder's own end that ends it, not a renewal that did not come. */
  get endsByItself(): boolean {
    return this.isLast || this.#leftByHolderMs <= this.leftMs;
  }

  /** What to ask the store for, so that the lease runs its length from now on. */
  next(): number {
    const { leaseMs, spareMs, maxHoldMs } = this.#settings;
    return this.asked(endFor(this.#context, leaseMs, spareMs), maxHoldMs);
  }

  /** The store has what was asked for last. */
  confirm(expiresAt: number): void {
    this.#expiresAt = expiresAt - this.#surplusMs;
    this.#askedAt = this.#nextAskedAt;
  }

  /** What to ask for where this end is wanted: told apart from a refusal by being above everything asked for before, answered or not. */
  asked(wanted: number, capMs = Number.POSITIVE_INFINITY): number {
    const capped = Math.min(wanted, Math.floor(this.#acquiredAt + capMs));
    this.#nextAskedAt = this.#context.clock.instant();
    this.#highestAsked = Math.max(capped + this.#surplusMs, this.#highestAsked + 1);
    return this.#highestAsked;
  }

  get #leftByStoreMs(): number {
    return this.#expiresAt - this.#context.clock.now().latest;
  }

  /** Until a waiter that had seen it as soon as it was asked for would have watched it for its length. */
  get #leftUnwatchedMs(): number {
    return this.#settings.leaseMs - elapsedBetween(this.#askedAt, this.#context.clock.instant()).most;
  }

  get #leftByHolderMs(): number {
    return this.#settings.endsInMs?.() ?? Number.POSITIVE_INFINITY;
  }
}

/** How a lease is held. All in milliseconds. */
export interface HoldSettings {
  /** What is granted: `wholeLeaseMs`, unless the hold ends sooner. */
  readonly leaseMs: number;
  readonly wholeLeaseMs: number;
  /** So much of a lease nobody needs: it may end that much sooner. */
  readonly spareMs: number;
  readonly renewEveryMs: number;
  readonly safetyMarginMs: number;
  /** The end of the hold: the caller's cap, or its own end if that is nearer. */
  readonly maxHoldMs: number | undefined;
  /** The caller's cap alone. It counts for whoever goes on with the lease, too; the caller's own end does not. */
  readonly capMs: number | undefined;
  /** Released sooner, the lock is not to be had until so long after the grant: whole milliseconds. @default 0 */
  readonly minHoldMs?: number;
  /** How long the holder itself has left, asked at each look; the lease is over with it, whatever the store says. */
  readonly endsInMs?: (() => number) | undefined;
}

/** Whose lease it was that had run out, or was superseded, when this one was granted. */
export interface TakenOver {
  readonly owner: string;
  readonly token: number;
  /** Absent where the store shows lease ids to their holders only. */
  readonly leaseId: string | undefined;
}

/** How a write with an extra condition of the caller's ended; a loss is thrown instead. */
export type ChangeOutcome =
  | { readonly applied: true }
  /** The caller's own condition did not hold. The lease goes on; `item` is what the store has. */
  | { readonly applied: false; readonly item: LeaseItem };

/** Whether a release ended the lease, or came after its loss, or after it was handed over, and changed nothing. */
export type ReleaseOutcome = 'released' | 'lost' | 'handed-over';

/** Whose lease a grant put an end to. After an adoption the item shows the grant itself. */
export function takenOverBy({ adopted, item, resumes }: Grant): TakenOver | undefined {
  if (adopted || item?.leaseId === undefined || item.leaseId === resumes) return undefined;
  return { owner: item.owner ?? 'unknown', token: item.version, leaseId: item.leaseId || undefined };
}

/** Whether a grant that has arrived can still be used: by the store's time, and by the time that its caller has left. */
export function isInTime(context: LeaseContext, grant: Grant, settings: HoldSettings): boolean {
  return new LeaseTerm(context, settings, grant).dangerInMs > 0;
}
