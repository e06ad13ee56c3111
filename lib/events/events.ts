import { type Channel, channel } from 'node:diagnostics_channel';
import type { HolderInfo, LockLostError, LossReason } from '../errors/index.js';

/** What every event tells. */
export interface LeaseEvent {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
  readonly leaseId: string;
}

/** What the events at the end of a lease tell. */
export interface EndedLeaseEvent extends LeaseEvent {
  /** From the grant to now, in milliseconds of the store's time. */
  readonly heldMs: number;
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
  /** Somebody asks the holder to let go; told once, when its renewal learns of it. */
  readonly 'release-requested': LeaseEvent & { readonly reason: string };
  /** Somebody has asked a holder to let go: told where it was asked. The holder's own event is `release-requested`. */
  readonly 'release-asked': {
    readonly name: string;
    /** Of the lease that was seen, as far as it was shown. */
    readonly leaseId: string | undefined;
    readonly token: number | undefined;
    readonly reason: string;
  };
  /** A permit of a semaphore was granted; its lease has a `granted` of its own. `name` is the semaphore's. */
  readonly 'permit-granted': LeaseEvent & { readonly permit: string; readonly waitedMs: number };
  /** Somebody waits in line for a lock. `length`: how many do, itself included. */
  readonly 'line-joined': { readonly name: string; readonly owner: string; readonly length: number };
  /** A campaign was won. */
  readonly elected: LeaseEvent;
  /** A lead is over, and its lease given back or lost. */
  readonly 'lead-ended': LeaseEvent & { readonly why: 'asked' | 'lost' | 'ended' };
  readonly renewed: LeaseEvent & { readonly expiresAt: number };
  /** A renewal failed for the store's reasons; it is tried again until the lease ends. */
  readonly 'renewal-failed': LeaseEvent & { readonly error: unknown };
  /** The lease is over although its holder did not end it. Told once per lease. */
  readonly lost: EndedLeaseEvent & { readonly reason: LossReason; readonly error: LockLostError };
  readonly released: EndedLeaseEvent;
  readonly completed: EndedLeaseEvent;
  /** The lease is on its way to another process; here it is over. */
  readonly 'handed-over': EndedLeaseEvent & { readonly expiresAt: number };
  /** A release that nobody awaits the outcome of failed; the lease runs out by itself. */
  readonly 'release-failed': LeaseEvent & { readonly error: unknown };
  /** A write under an old token was refused. */
  readonly 'stale-write-refused': {
    readonly name: string;
    readonly token: number;
    readonly currentToken: number | undefined;
    readonly operation: string;
  };
  /** The table refused a request because there were too many, and the SDK's own retries are used up. */
  readonly throttled: {
    readonly table: string;
    /** The lock that the request was about, where it was about one. */
    readonly name: string | undefined;
    readonly error: unknown;
  };
}

/**
 * Publishes an event on Node's `diagnostics_channel`. The library itself logs nothing.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html
 */
export function publish<Name extends keyof LeaseEvents>(name: Name, event: LeaseEvents[Name]): void {
  channelOf(name).publish(event);
}

/**
 * Kept for good: who subscribes on Node 20 a moment after the channel of that name was collected is never told anything,
 * since what is left to do for the old one takes the new one out of Node's list.
 */
const channels = new Map<string, Channel>();

/** The channel of an event, the same object each time. */
export function channelOf(name: string): Channel {
  const known = channels.get(name) ?? channel(`leasehold:${name}`);
  channels.set(name, known);
  return known;
}
