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
export const brand = Symbol.for('leasehold.error');

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

/**
 * Refuses an option or an argument that can't be right.
 *
 * @param words what it must be
 * @throws UsageError that names it, what it must be, and the value
 */
export function refuse(name: string, words: string, value: unknown): never {
  throw new UsageError(`${name}: must be ${words}, got ${quoted(value)}`);
}

/** A value as a message quotes it: in one line, cut where it is long. Never an error of its own, whatever the value is. */
export function quoted(value: unknown): string {
  let text: string | undefined;
  try {
    // JSON has no word for some numbers: it would make `null` of them.
    text = typeof value === 'number' ? `${value}` : JSON.stringify(value);
  } catch {
    // It refers to itself, is nested too deep, or throws.
  }
  text ??= value === undefined ? 'nothing' : `a ${typeof value}`;
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
