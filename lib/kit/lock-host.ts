import type { AcquireOptions, HoldOptions, TryAcquireOptions } from '../client/acquire-options.js';
import type { LockInfo } from '../client/lock-info.js';
import type { WaitPacing } from '../client/wait-pacing.js';
import { type HolderInfo, StoreError } from '../errors/index.js';
import type { Lease } from '../lease/index.js';
import type { Runtime } from '../runtime/index.js';

/** A lock as a look has shown it. */
export interface Sight {
  /** Of a lock that nobody ever held, nothing. */
  readonly info: LockInfo | undefined;
  /**
   * Whether it was held under a lease that a call of this client has left behind, as one that is given back: who asks is not
   * kept out by somebody else. Found out at the look, since what was true of it then may be over when the caller is told.
   */
  readonly isLeftBehind: boolean;
}

/** What the kit is built from: leases as everybody can have them. No rule of its own decides who holds one. */
export interface LockHost {
  readonly runtime: Runtime;
  /** The label of leases that are given no other. */
  readonly owner: string;
  /** The end of one request, its repeats included, in milliseconds. */
  readonly callTimeoutMs: number;
  acquire(name: string, options?: AcquireOptions): Promise<Lease>;
  tryAcquire(name: string, options?: TryAcquireOptions): Promise<Lease | null>;
  /**
   * Strongly consistent reads of many locks, in the order of the names.
   *
   * @param lockDelayMs a lease that ran out counts as held for so much longer
   */
  look(names: readonly string[], signal?: AbortSignal, lockDelayMs?: number): Promise<readonly Sight[]>;
  /**
   * Checks the options of a call before its first request.
   *
   * @param without options that the call does not take, although an acquire does
   * @throws UsageError
   */
  check(call: string, options: AcquireOptions, without?: readonly string[]): void;
  /**
   * How long a call is willing to wait, and how its reads are spaced.
   *
   * @param waitMs how long the caller would wait. @default not at all
   * @param endsInMs the caller's own end: no wait lasts longer
   */
  pacing(waitMs: number | undefined, endsInMs?: () => number): WaitPacing;
  /** Until a lock that was seen comes free by itself, in milliseconds. */
  untilFreeMs(info: LockInfo, lockDelayMs?: number): number;
}

/**
 * Who keeps a caller from a lock, as a look has shown it. Nobody else does where it is a lease that the caller's own client has
 * left behind: the store does.
 *
 * @param failedAs the caller's owner, if a try of its own has failed and may have left a lease: the lock service shows no ids
 */
export function holderIn({ info, isLeftBehind }: Sight, failedAs?: string): HolderInfo | undefined {
  if (info?.state !== 'held' || isLeftBehind) return undefined;
  const { owner = 'unknown', token, leaseId, acquiredAt = 0, remainingMs } = info;
  if (leaseId === undefined && failedAs === owner) return undefined;
  return { owner, token, leaseId, acquiredAt, remainingMs };
}

/**
 * What passes is a part of waiting: such a failure of a request.
 *
 * @throws the signal's own reason where the caller has given up, whatever failed; else what does not pass
 */
export function passingFailure(error: unknown, signal: AbortSignal | undefined): StoreError {
  signal?.throwIfAborted();
  if (!(error instanceof StoreError) || !error.retryable) throw error;
  return error;
}

/** Whether the caller's own time is over: a lock that is asked for then is not to be had, and that is no wrong option. */
export function isOver({ endsInMs }: HoldOptions): boolean {
  return endsInMs !== undefined && endsInMs() < 1;
}
