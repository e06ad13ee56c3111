import { channel } from 'node:diagnostics_channel';
import type { HolderInfo, LockLostError, LossReason } from '../errors/index.js';

/** What every event tells. */
export interface LeaseEvent {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
  readonly leaseId: string;
}

/** The events of a client, by name; the channel is `leasehold:<name>`. */
export interface LeaseEvents {
  /** A lease was granted. `takenOverFrom`: its lease had run out (or was superseded) without a release. */
  readonly granted: LeaseEvent & {
    readonly waitedMs: number;
    readonly takenOverFrom: { readonly owner: string; readonly token: number } | undefined;
    /** Granted by an earlier attempt whose answer was lost. */
    readonly adopted: boolean;
  };
  /** The lock is held by somebody else; the caller waits or gives up. */
  readonly held: { readonly name: string; readonly owner: string; readonly holder: HolderInfo | undefined };
  readonly renewed: LeaseEvent & { readonly expiresAt: number };
  /** A renewal failed for the store's reasons; it is tried again until the lease ends. */
  readonly 'renewal-failed': LeaseEvent & { readonly error: unknown };
  /** The lease is over although its holder did not end it. Told once per lease. */
  readonly lost: LeaseEvent & { readonly reason: LossReason; readonly error: LockLostError };
  readonly released: LeaseEvent;
  readonly completed: LeaseEvent;
  /** A release that nobody awaits the outcome of failed; the lease runs out by itself. */
  readonly 'release-failed': LeaseEvent & { readonly error: unknown };
  /** A write under an old token was refused. */
  readonly 'stale-write-refused': {
    readonly name: string;
    readonly token: number;
    readonly currentToken: number | undefined;
    readonly operation: string;
  };
}

/**
 * Publishes an event on Node's `diagnostics_channel`. The library itself logs nothing.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html
 */
export function publish<Name extends keyof LeaseEvents>(name: Name, event: LeaseEvents[Name]): void {
  channel(`leasehold:${name}`).publish(event);
}
