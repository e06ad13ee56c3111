import type { AcquireOptions } from '../client/acquire-options.js';
import { checkPlainName } from '../client/lock-name.js';
import { LockHeldError, type LockLostError, UsageError } from '../errors/index.js';
import type { Lease, ReleaseOutcome } from '../lease/index.js';
import { isOver, type LockHost } from './lock-host.js';

const maxLocks = 100;

/**
 * How several locks are acquired: all in the same way, within one `waitMs`. Without `minHoldMs`: where one can't be had the
 * others are given back, and nobody has worked under them.
 */
export type GroupOptions = Omit<AcquireOptions, 'change' | 'giveUpWhen' | 'minHoldMs'>;

/** Several leases that are held together. The first that is lost ends them all. */
export class LockGroup implements AsyncDisposable {
  readonly #leases: ReadonlyMap<string, Lease>;
  #abort: AbortController | undefined;

  /** Made by `LockClient.acquireAll`. */
  constructor(leases: ReadonlyMap<string, Lease>) {
    this.#leases = leases;
  }

  /** The names, in the order in which they were acquired. */
  get names(): readonly string[] {
    return [...this.#leases.keys()];
  }

  /**
   * The lease of one of the names.
   *
   * @throws UsageError if the group has no such lock
   */
  get(name: string): Lease {
    const lease = this.#leases.get(name);
    if (!lease)
      throw new UsageError(`The group holds no lock "${name}"; it holds ${this.names.join(', ')}`, name);
    return lease;
  }

  /** The fencing token of each name. */
  get tokens(): ReadonlyMap<string, number> {
    return new Map([...this.#leases].map(([name, { token }]) => [name, token]));
  }

  /** Aborts with the first loss; the reason is that lease's `LockLostError`. */
  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal;
    const abort = new AbortController();
    this.#abort = abort;
    for (const { signal } of this.#leases.values()) {
      if (signal.aborted) abort.abort(signal.reason);
      else signal.addEventListener('abort', () => abort.abort(signal.reason));
    }
    return abort.signal;
  }

  /** Whether all leases are valid, computed now. */
  get isHeld(): boolean {
    return [...this.#leases.values()].every(({ isHeld }) => isHeld);
  }

  /** Why they are over, if one of them was lost. */
  get loss(): LockLostError | undefined {
    for (const { loss } of this.#leases.values()) if (loss) return loss;
    return undefined;
  }

  /**
   * Computed now, without a request.
   *
   * @throws LockLostError of the first lease that is lost
   */
  throwIfLost(): void {
    for (const lease of this.#leases.values()) lease.throwIfLost();
  }

  /**
   * Releases all, the last acquired first. A release that fails stops none of the others.
   *
   * @returns `released` if all leases were current until now
   * @throws StoreError of the first release that failed
   */
  async release(): Promise<ReleaseOutcome> {
    const outcomes: ReleaseOutcome[] = [];
    const errors: unknown[] = [];
    for (const lease of this.#lastFirst()) {
      await lease.release().then(
        (outcome) => outcomes.push(outcome),
        (error) => errors.push(error),
      );
    }
    if (errors.length > 0) throw errors[0];
    return outcomes.find((outcome) => outcome !== 'released') ?? 'released';
  }

  /** As {@link release}, but never throws: what the store does not take is repeated in the background. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const lease of this.#lastFirst()) await lease[Symbol.asyncDispose]();
  }

  #lastFirst(): Lease[] {
    return [...this.#leases.values()].reverse();
  }
}

/**
 * Acquires all of these locks, or none. They are acquired one after the other in one order, whatever order they are
 * given in: callers of this function can't wait for each other in a circle.
 *
 * @throws LockHeldError that names the lock which was held; what else `acquire` throws. What had been acquired is released
 */
export async function acquireAll(
  host: LockHost,
  names: Iterable<string>,
  { waitMs, ...options }: GroupOptions,
): Promise<LockGroup> {
  if ((options as AcquireOptions).minHoldMs !== undefined) {
    throw new UsageError(
      'acquireAll: has no option "minHoldMs", since locks may be given back before any work',
    );
  }
  const pacing = host.pacing(waitMs);
  const leases = new Map<string, Lease>();
  try {
    for (const name of sortedNames(names)) {
      if (leases.size > 0 && isOver(options)) throw new LockHeldError(name, undefined, pacing.waitedMs);
      leases.set(name, await host.acquire(name, { ...options, waitMs: pacing.leftMs }));
    }
    const group = new LockGroup(leases);
    // The first leases may have been lost while the last ones were waited for.
    group.throwIfLost();
    return group;
  } catch (error) {
    await new LockGroup(leases)[Symbol.asyncDispose]();
    throw error;
  }
}

/** In the order of their UTF-16 units: any order will do that is everybody's. */
function sortedNames(names: Iterable<string>): readonly string[] {
  if (typeof names === 'string') throw new UsageError('acquireAll: takes a list of names, got one string');
  const sorted = [...new Set(names)].sort();
  // All of them before the first request.
  for (const name of sorted) checkPlainName(name);
  if (sorted.length === 0 || sorted.length > maxLocks) {
    throw new UsageError(`acquireAll: takes 1 to ${maxLocks} names, got ${sorted.length}`);
  }
  return sorted;
}
