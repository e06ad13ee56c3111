import type { Grant } from './acquire-request.js';
import type { LeaseItem } from './lease-item.js';
import type { LeaseContext } from './lease-store.js';

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
export function isInTime(
  { clock }: Pick<LeaseContext, 'clock'>,
  { expiresAt }: Pick<Grant, 'expiresAt'>,
  { safetyMarginMs, endsInMs }: HoldSettings,
): boolean {
  const leftMs = Math.min(expiresAt - clock.now().latest, endsInMs?.() ?? Number.POSITIVE_INFINITY);
  return leftMs > safetyMarginMs;
}
