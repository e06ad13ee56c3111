import type { AcquireOptions, TryAcquireOptions } from '../client/acquire-options.js';
import { canBeHad, type LockInfo } from '../client/lock-info.js';
import { checkWork, runUnder } from '../client/with-lock.js';
import { AlreadyCompletedError, type HolderInfo, LockHeldError, StoreError } from '../errors/index.js';
import { publish } from '../events/events.js';
import type { Lease } from '../lease/index.js';
import { deadlineAfter, sleep } from '../runtime/index.js';
import { holderIn, isOver, type LockHost, passingFailure, type Sight } from './lock-host.js';
import { permitNames } from './permits.js';

/** How a permit is acquired: as a lock, without what those who build on leases add. */
export type PermitOptions = Omit<AcquireOptions, 'change' | 'giveUpWhen'>;

/** Who has permits. */
export interface SemaphoreInfo {
  readonly permits: number;
  /** Permits that nobody holds. */
  readonly free: number;
  /** The permits that can't be had: held, completed, or left free for a while (`minHoldMs`). */
  readonly held: readonly LockInfo[];
}

/**
 * At most so many holders at a time. Each permit is an ordinary lease with a token and a heartbeat of its own, so a
 * permit whose holder crashed is free when its lease is over.
 */
export interface Semaphore {
  readonly name: string;
  readonly permits: number;
  /**
   * Acquires a permit: one write when it is not crowded.
   *
   * @throws LockHeldError when all permits stayed held for `waitMs`; StoreError; UsageError; the signal's own reason
   */
  acquire(options?: PermitOptions): Promise<Lease>;
  /** Tries once. Answers `null` when all permits are held. */
  tryAcquire(options?: Omit<PermitOptions, 'waitMs'>): Promise<Lease | null>;
  /** Runs work under a permit and releases it; errors as those of `withLock`. */
  withPermit<T>(work: (lease: Lease) => Promise<T> | T, options?: PermitOptions): Promise<T>;
  /** Who has permits, in one strongly consistent batch read. */
  inspect(options?: { readonly signal?: AbortSignal }): Promise<SemaphoreInfo>;
}

/** Made by `LockClient.semaphore`; the host is loaded when it is first used. */
export function makeSemaphore(host: LockHost, name: string, permits: number): Semaphore {
  const names = permitNames(name, permits);
  const acquire = async (given: PermitOptions = {}) => {
    host.check('acquire', given);
    // As they are now: what the caller changes later plays no part.
    return acquirePermit(host, name, names, { ...given });
  };
  return {
    name,
    permits,
    acquire,
    async tryAcquire(options: TryAcquireOptions = {}) {
      try {
        return await acquire({ ...options, waitMs: 0 });
      } catch (error) {
        if (error instanceof LockHeldError) return null;
        throw error;
      }
    },
    async withPermit(work, options = {}) {
      checkWork('withPermit', work);
      return runUnder(await acquire(options), work);
    },
    async inspect({ signal } = {}) {
      const infos = (await host.look(names, signal)).map(({ info }) => info);
      const held = infos.filter((info) => info !== undefined).filter((info) => !canBeHad(info));
      return { permits, free: permits - held.length, held };
    },
  };
}

/**
 * One write on the permit that chance, or the owner, points to. Refused: one batch read of all permits, then a write on
 * one that is free, by chance; refused again, on the next one. None is free: wait by reads until one could be.
 *
 * @param options checked by the caller
 * @throws LockHeldError, StoreError, the signal's own reason
 */
export async function acquirePermit(
  host: LockHost,
  name: string,
  names: readonly string[],
  { waitMs, ...options }: PermitOptions,
): Promise<Lease> {
  const search = new PermitSearch(host, name, names, options);
  const pacing = host.pacing(waitMs, options.endsInMs);
  let found = options.supersede ? null : await search.first();
  found ??= await search.bySight(pacing.leftMs);
  while (!found) {
    if (pacing.leftMs <= 0) throw search.gaveUp(pacing.waitedMs);
    await sleep(host.runtime, pacing.nextDelayMs(search.untilFreeMs), options.signal);
    found = await search.bySight(pacing.leftMs);
  }
  const { owner, token, leaseId, name: permit } = found;
  publish('permit-granted', { name, owner, token, leaseId, permit, waitedMs: pacing.waitedMs });
  return found;
}

/** One call's search for a permit: what it has seen, and what stood in its way. */
class PermitSearch {
  readonly #host: LockHost;
  readonly #name: string;
  readonly #names: readonly string[];
  readonly #options: TryAcquireOptions;
  #seen: readonly Sight[] = [];
  #lastError: StoreError | undefined;

  constructor(host: LockHost, name: string, names: readonly string[], options: TryAcquireOptions) {
    this.#host = host;
    this.#name = name;
    this.#names = names;
    this.#options = options;
  }

  first(): Promise<Lease | null> {
    const start = firstPermit(this.#options.owner, this.#names.length, this.#host.runtime.random);
    return this.#try(this.#names[start]!);
  }

  /** A look at all permits, and a write on each that could be had until one is granted: first on the owner's own earlier one. */
  async bySight(leftMs: number): Promise<Lease | null> {
    if (!(await this.#look(leftMs))) return null;
    const free = this.#names.filter((_, i) => canBeHad(this.#seen[i]?.info));
    for (const name of [...this.#own(), ...shuffled(free, this.#host.runtime.random)]) {
      const lease = await this.#try(name);
      if (lease) return lease;
    }
    return null;
  }

  /** Until the first of those that were seen could be had, in milliseconds. */
  get untilFreeMs(): number | undefined {
    return this.#soonest?.untilMs;
  }

  gaveUp(waitedMs: number): Error {
    // A lease that is given back is this call's own: it is the store that keeps it from a permit.
    const soonest = this.#soonest;
    if (!soonest && this.#lastError) return this.#lastError;
    const { holder, untilMs: freeInMs } = soonest ?? {};
    const more = { cause: this.#lastError, ...(!holder && { freeInMs }) };
    return new LockHeldError(this.#name, holder, waitedMs, more);
  }

  /** Of the permits that were seen held, or free but not yet, the one that can be had first. */
  get #soonest(): { readonly holder: HolderInfo | undefined; readonly untilMs: number } | undefined {
    const { lockDelayMs, owner = this.#host.owner } = this.#options;
    const failedAs = this.#lastError && owner;
    const [soonest] = this.#seen
      .map((sight) => ({ info: sight.info, holder: holderIn(sight, failedAs) }))
      .flatMap(({ info, holder }) =>
        info && (holder || info.freeFrom !== undefined)
          ? [{ holder, untilMs: this.#host.untilFreeMs(info, lockDelayMs) }]
          : [],
      )
      .sort((a, b) => a.untilMs - b.untilMs);
    return soonest;
  }

  /** Who supersedes takes over the permit of an earlier attempt of the same owner. */
  #own(): readonly string[] {
    const { owner = this.#host.owner, supersede } = this.#options;
    if (!supersede) return [];
    return this.#names.filter((_, i) => {
      const info = this.#seen[i]?.info;
      return info?.state === 'held' && info.owner === owner;
    });
  }

  /** A batch of which parts go unread is asked for again: not for longer than the wait, or one request, may last. */
  async #look(leftMs: number): Promise<boolean> {
    const { runtime, callTimeoutMs } = this.#host;
    const { signal, lockDelayMs } = this.#options;
    const deadline = deadlineAfter(runtime, Math.max(leftMs, callTimeoutMs), signal);
    try {
      this.#seen = await this.#host.look(this.#names, deadline.signal, lockDelayMs);
      return true;
    } catch (error) {
      this.#lastError = passingFailure(deadline.expired() ? this.#unread() : error, this.#options.signal);
      return false;
    } finally {
      deadline.clear();
    }
  }

  #unread(): StoreError {
    const message = `The permits of "${this.#name}" were not all read in time`;
    return new StoreError(message, this.#name, { retryable: true, mayHaveApplied: false });
  }

  async #try(name: string): Promise<Lease | null> {
    if (isOver(this.#options)) return null;
    try {
      const lease = await this.#host.tryAcquire(name, this.#options);
      this.#lastError = undefined;
      return lease;
    } catch (error) {
      // A permit that somebody completed is out of use until it is reopened; the others are not.
      if (error instanceof AlreadyCompletedError) return null;
      this.#lastError = passingFailure(error, this.#options.signal);
      return null;
    }
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const result = [...list];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

/** Where the search for a permit begins: the same for an owner that comes again, else by chance. */
function firstPermit(owner: string | undefined, permits: number, random: () => number): number {
  if (owner === undefined) return Math.floor(random() * permits);
  // FNV-1a: any hash will do that spreads labels which differ in a digit.
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(owner)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % permits;
}
