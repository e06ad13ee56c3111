import type { AcquireOptions, HoldOptions, TryAcquireOptions } from '../client/acquire-options.js';
import type { LockInfo } from '../client/lock-info.js';
import type { WaitPacing } from '../client/wait-pacing.js';
import type { Lease } from '../lease/index.js';
import type { Runtime } from '../runtime/index.js';

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
   * Strongly consistent reads of many locks; of those that nobody ever held, nothing. In the order of the names.
   *
   * @param lockDelayMs a lease that ran out counts as held for so much longer
   */
  inspectMany(
    names: readonly string[],
    signal?: AbortSignal,
    lockDelayMs?: number,
  ): Promise<readonly (LockInfo | undefined)[]>;
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
   * @param endsInMs the caller's own end: no wait lasts longer
   */
  pacing(waitMs: number, endsInMs?: () => number): WaitPacing;
  /** Until a lock that was seen comes free by itself, in milliseconds. */
  untilFreeMs(info: LockInfo, lockDelayMs?: number): number;
  /** Whether a lease is one of this client's that it gives back: who asks is not kept out by somebody else. */
  isGivingBack(leaseId: string): boolean;
}

/** Whether the caller's own time is over: a lock that is asked for then is not to be had, and that is no wrong option. */
export function isOver({ endsInMs }: HoldOptions): boolean {
  return endsInMs !== undefined && endsInMs() < 1;
}
