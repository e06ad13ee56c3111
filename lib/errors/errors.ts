/** What happened to a lease that is over although its holder did not release it. */
export type LossReason = 'expired' | 'taken-over' | 'broken' | 'store-unavailable' | 'max-hold';

/** Who holds a lock, as far as the store showed it. */
export interface HolderInfo {
  /** The holder's label. */
  readonly owner: string;
  /** The fencing token of the current lease. */
  readonly token: number;
  /** The current lease's id: what `break` must name. Absent where the store shows it to its holder only. */
  readonly leaseId: string | undefined;
  /** Store time of the grant, milliseconds since the epoch. */
  readonly acquiredAt: number;
  /** How long the lease still runs if nobody renews it, in milliseconds; 0 when it has run out. */
  readonly remainingMs: number;
}

/** The same in every copy of the package: a program may load it as a module and by `require`, or bundle it twice. */
const brand = Symbol.for('leasehold.error');

const isInPrototypes = Function.prototype[Symbol.hasInstance];

/** What all errors of this package share. `name` is what a Step Functions `Retry` or `Catch` matches. */
export abstract class LeaseholdError extends Error {
  abstract override readonly name: string;
  /** Stable, for programs: the same word in upper case. */
  abstract readonly code: string;
  /** The lock it is about, where there is one. */
  readonly lockName: string | undefined;

  /** What {@link Symbol.hasInstance} goes by. */
  get [brand](): true {
    return true;
  }

  constructor(message: string, lockName?: string, options?: ErrorOptions) {
    super(message, options);
    this.lockName = lockName;
  }
}

/** `instanceof` goes by the name, so that the errors of another copy of the package count, too. */
Object.defineProperty(LeaseholdError, Symbol.hasInstance, {
  value(this: { readonly prototype: object; readonly [brand]?: unknown }, thrown: unknown): boolean {
    if (isInPrototypes.call(this, thrown)) return true;
    if (typeof thrown !== 'object' || thrown === null || !(brand in thrown)) return false;
    // Not inherited: a class that somebody derives from one of ours is not all of ours.
    return Object.hasOwn(this, brand)
      ? this[brand] === (thrown as { readonly name?: unknown }).name
      : this === (LeaseholdError as unknown);
  },
});

/** Somebody else holds the lock, and it did not come free in time. The caller never held it. */
export class LockHeldError extends LeaseholdError {
  static readonly [brand]: string = 'LockHeldError';
  override readonly name = 'LockHeldError';
  override readonly code = 'LOCK_HELD';
  /** Who holds it; absent when the store never got to say so, or when only a lease that is being given back stands there. */
  readonly holder: HolderInfo | undefined;
  /** How long the caller waited, in milliseconds. */
  readonly waitedMs: number;

  /** Nobody holds it, and nobody gets it before so long from now, in milliseconds: its holder before had a `minHoldMs`. */
  readonly freeInMs: number | undefined;
  /** It is this very client that holds it: a call inside of the work waits for the work, which waits for the call. */
  readonly heldHere: boolean;

  constructor(
    lockName: string,
    holder: HolderInfo | undefined,
    waitedMs: number,
    options?: ErrorOptions & { readonly heldHere?: boolean; readonly freeInMs?: number | undefined },
  ) {
    const { heldHere = false, freeInMs } = options ?? {};
    const by = heldHere ? `this very client, as ${holder?.owner ?? 'another call'}` : holder?.owner;
    const held = holder ? ` (token ${holder.token}, ${Math.ceil(holder.remainingMs)} ms left)` : '';
    const none =
      freeInMs === undefined ? 'not granted' : `free, but not before ${Math.ceil(freeInMs)} ms from now`;
    const who = by === undefined ? none : `held by ${by}${held}`;
    const hint = heldHere ? '. Locks are not re-entrant: pass the lease on to what works under it' : '';
    super(`Lock "${lockName}" is ${who}; waited ${Math.round(waitedMs)} ms${hint}`, lockName, options);
    this.holder = holder;
    this.waitedMs = waitedMs;
    this.heldHere = heldHere;
    this.freeInMs = freeInMs;
  }
}

/** The caller had the lock and has it no longer. Work done since then may be done by somebody else, too. */
export class LockLostError extends LeaseholdError {
  static readonly [brand]: string = 'LockLostError';
  override readonly name = 'LockLostError';
  override readonly code = 'LOCK_LOST';
  readonly reason: LossReason;
  /** The fencing token that is no longer current. */
  readonly token: number;
  /** The result of work that finished after the loss (`withLock` only). */
  readonly result: unknown;

  constructor(
    lockName: string,
    reason: LossReason,
    token: number,
    options?: ErrorOptions & { readonly result?: unknown },
  ) {
    super(`Lost lock "${lockName}" (token ${token}): ${reason}`, lockName, options);
    this.reason = reason;
    this.token = token;
    this.result = options?.result;
  }
}

/** The mark that is stored instead of a result that can't be. */
const notRecordedKey = 'leasehold:notRecorded';

/** What stands for a result that can't be stored. */
export function notRecordedMark(why: string): Readonly<Record<string, string>> {
  return { [notRecordedKey]: why };
}

function readNotRecorded(result: unknown): string | undefined {
  const why = (result as Record<string, unknown> | null | undefined)?.[notRecordedKey];
  return typeof why === 'string' ? why : undefined;
}

/** In words where a `Date` can't hold it. */
function timeText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : 'an impossible time';
}

/** The work under this name is finished; nobody can acquire it until it is reopened. */
export class AlreadyCompletedError extends LeaseholdError {
  static readonly [brand]: string = 'AlreadyCompletedError';
  override readonly name = 'AlreadyCompletedError';
  override readonly code = 'ALREADY_COMPLETED';
  /** What the completing holder stored; to the holder itself whose result could not be stored, that result. */
  readonly result: unknown;
  /** Why the result was not stored, where it could not be: the work is done all the same, and is not done again. */
  readonly notRecorded: string | undefined;
  /** Store time of the completion, milliseconds since the epoch. */
  readonly completedAt: number;

  constructor(
    lockName: string,
    result: unknown,
    completedAt: number,
    options?: ErrorOptions & { readonly notRecorded?: string | undefined },
  ) {
    const notRecorded = options?.notRecorded ?? readNotRecorded(result);
    const why = notRecorded === undefined ? '' : `; its result was not recorded: ${notRecorded}`;
    super(`"${lockName}" was completed at ${timeText(completedAt)}${why}`, lockName, options);
    this.result = options?.notRecorded === undefined && notRecorded !== undefined ? undefined : result;
    this.notRecorded = notRecorded;
    this.completedAt = completedAt;
  }
}

/** A guarded resource has seen a newer token; nothing was written. */
export class StaleTokenError extends LeaseholdError {
  static readonly [brand]: string = 'StaleTokenError';
  override readonly name = 'StaleTokenError';
  override readonly code = 'STALE_TOKEN';
  /** The token of the refused writer. */
  readonly token: number;
  /** The token that the resource has accepted; absent where the engine does not tell. */
  readonly currentToken: number | undefined;

  constructor(lockName: string, token: number, currentToken: number | undefined, options?: ErrorOptions) {
    const newer = currentToken === undefined ? 'a newer one' : currentToken;
    super(
      `Refused: token ${token} of "${lockName}" is stale, the resource has seen ${newer}`,
      lockName,
      options,
    );
    this.token = token;
    this.currentToken = currentToken;
  }
}

/** The store could not be used; `cause` is its own error. */
export class StoreError extends LeaseholdError {
  static readonly [brand]: string = 'StoreError';
  override readonly name = 'StoreError';
  override readonly code = 'STORE_ERROR';
  /** Whether the same request may work later: throttling, 5xx, network. */
  readonly retryable: boolean;
  /** Whether the store may have applied the write although no answer came. */
  readonly mayHaveApplied: boolean;

  constructor(
    message: string,
    lockName: string | undefined,
    options: ErrorOptions & { readonly retryable: boolean; readonly mayHaveApplied: boolean },
  ) {
    super(message, lockName, options);
    this.retryable = options.retryable;
    this.mayHaveApplied = options.mayHaveApplied;
  }
}

/** The call can't be right: a bad name, option or argument, or an item that is not ours. Nothing was changed. */
export class UsageError extends LeaseholdError {
  static readonly [brand]: string = 'UsageError';
  override readonly name = 'UsageError';
  /**
   * `NOT_ALLOWED`: the lock service does not do this for its callers, whatever the arguments. `CLOSED`: the client has
   * been closed.
   */
  override readonly code: 'USAGE' | 'NOT_ALLOWED' | 'CLOSED';

  constructor(
    message: string,
    lockName?: string,
    options?: ErrorOptions & { readonly code?: 'USAGE' | 'NOT_ALLOWED' | 'CLOSED' },
  ) {
    super(message, lockName, options);
    this.code = options?.code ?? 'USAGE';
  }
}
