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

/** What all errors of this package share. `name` is what a Step Functions `Retry` or `Catch` matches. */
export abstract class LeaseholdError extends Error {
  abstract override readonly name: string;
  /** Stable, for programs: the same word in upper case. */
  abstract readonly code: string;
  /** The lock it is about, where there is one. */
  readonly lockName: string | undefined;

  constructor(message: string, lockName?: string, options?: ErrorOptions) {
    super(message, options);
    this.lockName = lockName;
  }
}

/** Somebody else holds the lock, and it did not come free in time. The caller never held it. */
export class LockHeldError extends LeaseholdError {
  override readonly name = 'LockHeldError';
  override readonly code = 'LOCK_HELD';
  /** Who holds it; absent when the store never got to say so, or when only a lease that is being given back stands there. */
  readonly holder: HolderInfo | undefined;
  /** How long the caller waited, in milliseconds. */
  readonly waitedMs: number;

  constructor(lockName: string, holder: HolderInfo | undefined, waitedMs: number, options?: ErrorOptions) {
    const who = holder
      ? `held by ${holder.owner} (token ${holder.token}, ${Math.ceil(holder.remainingMs)} ms left)`
      : 'not granted';
    super(`Lock "${lockName}" is ${who}; waited ${Math.round(waitedMs)} ms`, lockName, options);
    this.holder = holder;
    this.waitedMs = waitedMs;
  }
}

/** The caller had the lock and has it no longer. Work done since then may be done by somebody else, too. */
export class LockLostError extends LeaseholdError {
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

/** The work under this name is finished; nobody can acquire it until it is reopened. */
export class AlreadyCompletedError extends LeaseholdError {
  override readonly name = 'AlreadyCompletedError';
  override readonly code = 'ALREADY_COMPLETED';
  /** What the completing holder stored. */
  readonly result: unknown;
  /** Store time of the completion, milliseconds since the epoch. */
  readonly completedAt: number;

  constructor(lockName: string, result: unknown, completedAt: number) {
    super(`"${lockName}" was completed at ${new Date(completedAt).toISOString()}`, lockName);
    this.result = result;
    this.completedAt = completedAt;
  }
}

/** A guarded resource has seen a newer token; nothing was written. */
export class StaleTokenError extends LeaseholdError {
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
  override readonly name = 'UsageError';
  /** `NOT_ALLOWED`: the lock service does not do this for its callers, whatever the arguments. */
  override readonly code: 'USAGE' | 'NOT_ALLOWED';

  constructor(
    message: string,
    lockName?: string,
    options?: ErrorOptions & { readonly code?: 'USAGE' | 'NOT_ALLOWED' },
  ) {
    super(message, lockName, options);
    this.code = options?.code ?? 'USAGE';
  }
}
