import { refuse } from '../errors/index.js';
import { checkNumber, isWellFormed, type Limits, maxLeaseMs } from '../lease/check-options.js';
import type { LeaseItem } from '../lease/index.js';
import type { ItemChange } from '../table/index.js';

/** Options of one acquisition; what is absent is as the client was made. */
export interface HoldOptions {
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  readonly safetyMarginMs?: number;
  readonly maxHoldMs?: number;
  /**
   * Released sooner than so long after the grant, the lock is free, but nobody gets it before then: for jobs that are shorter
   * than the clocks of those who start them lie apart. In milliseconds. Only a release knows of it: after a crash the lock
   * is free when its lease is over, after `break` at once.
   *
   * @default 0
   */
  readonly minHoldMs?: number;
  /**
   * How long the caller itself has left, in milliseconds, asked again whenever it matters: for code whose time is
   * limited, as a Lambda's is (`() => context.getRemainingTimeInMillis() - 1_000`). The lease is granted for no longer
   * than that and not renewed past it, `signal` fires a safety margin before, and no wait lasts longer.
   *
   * @default the caller has no end
   */
  readonly endsInMs?: () => number;
}

/** How to go on with a lease that was handed over. */
export interface ResumeOptions extends HoldOptions {
  /** A label for people. @default the client's */
  readonly owner?: string;
  /** Gives up at once, with the signal's own reason. */
  readonly signal?: AbortSignal;
}

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
  /**
   * A lease that ran out, instead of being released, is taken only so much later, in milliseconds: its holder's last
   * requests may still be under way to what knows no tokens. @default 0
   */
  readonly lockDelayMs?: number;
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

/** What the numbers may be that a client has for all of its leases, too. */
export const holdLimits = {
  leaseMs: [1, maxLeaseMs],
  renewEveryMs: [1],
  safetyMarginMs: [0],
  maxHoldMs: [1],
} satisfies Limits;

const tryLimits = {
  ...holdLimits,
  minHoldMs: [0, maxLeaseMs],
  lockDelayMs: [0, maxLeaseMs],
} satisfies Limits;

/** What the numbers of a call may be. */
export const acquireLimits = { ...tryLimits, waitMs: [0] } satisfies Limits;

const internals = { change: 1, giveUpWhen: 1 };
const tryOthers = {
  ...{ endsInMs: 1, owner: 1, signal: 1, supersede: 1, group: 1 },
} satisfies Record<Exclude<keyof TryAcquireOptions, keyof typeof tryLimits | keyof typeof internals>, 1>;
const waitOthers = { waitMs: 1, fair: 1 } satisfies Record<
  Exclude<keyof AcquireOptions, keyof TryAcquireOptions>,
  1
>;

/** What each call takes; the types demand that none is forgotten. */
export const optionNames = {
  acquire: Object.keys({ ...tryLimits, ...tryOthers, ...waitOthers }),
  tryAcquire: Object.keys({ ...tryLimits, ...tryOthers }),
  internal: Object.keys(internals),
};

/**
 * How long the caller has left: for ever, if that has no end.
 *
 * @throws UsageError if that is no number, or less than a millisecond
 */
export function timeLeftMs({ endsInMs }: HoldOptions): number {
  if (endsInMs === undefined) return Number.POSITIVE_INFINITY;
  if (typeof endsInMs !== 'function') refuse('endsInMs', 'a function', endsInMs);
  const leftMs = endsInMs();
  checkNumber('endsInMs', leftMs, 1);
  return leftMs;
}

/** @throws UsageError if there is a label, and it can't be stored or shown */
export function checkOwner(owner: string | undefined): void {
  if (owner === undefined) return;
  if (typeof owner === 'string' && owner !== '' && isWellFormed(owner) && Buffer.byteLength(owner) <= 256)
    return;
  refuse('owner', 'well-formed Unicode of 1 to 256 bytes', owner);
}
