import { brand, type HolderInfo, LeaseholdError } from './errors.js';

/** Somebody else holds the lock, and it did not come free in time. The caller never held it. */
export class LockHeldError extends LeaseholdError {
  static readonly [brand]: string = 'LockHeldError';
  override readonly name = 'LockHeldError';
  override readonly code = 'LOCK_HELD';
  /**
   * Who holds it; absent when the store never got to say so, when only a lease stands there that a call of this client has left
   * behind, as one that it gives back, and when nobody holds it: free but not yet, or its turn in line did not come.
   */
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

/** So many callers wait in line for the lock already that no more may. */
export class LineFullError extends LeaseholdError {
  static readonly [brand]: string = 'LineFullError';
  override readonly name = 'LineFullError';
  override readonly code = 'LINE_FULL';

  constructor(lockName: string, maxTickets: number) {
    super(`The line for "${lockName}" is full: ${maxTickets} callers wait already`, lockName);
  }
}
