import type { Grant } from './acquire-request.js';
import type { LeaseItem } from './lease-item.js';

/** How a lease is held. All in milliseconds. */
export interface HoldSettings {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  readonly safetyMarginMs: number;
  readonly maxHoldMs: number | undefined;
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

/** Whether a release ended the lease, or came after its loss and changed nothing. */
export type ReleaseOutcome = 'released' | 'lost';

/** Whose lease a grant put an end to. After an adoption the item shows the grant itself. */
export function takenOverBy({ adopted, item }: Grant): TakenOver | undefined {
  if (adopted || item?.leaseId === undefined) return undefined;
  return { owner: item.owner ?? 'unknown', token: item.version, leaseId: item.leaseId || undefined };
}
