import type { AcquireOptions, TryAcquireOptions } from '../client/acquire-options.js';
import { canBeHad, type LockInfo } from '../client/lock-info.js';
import { runUnder } from '../client/with-lock.js';
import { AlreadyCompletedError, LockHeldError, StoreError } from '../errors/index.js';
import { publish } from '../events/events.js';
import type { Lease } from '../lease/index.js';
import { sleep } from '../runtime/index.js';
import type { LockHost } from './lock-host.js';
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
  const acquire = (options: PermitOptions = {}) => acquirePermit(host, name, names, options);
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
      return runUnder(await acquire(options), work);
    },
    async inspect({ signal } = {}) {
      const infos = await host.inspectMany(names, signal);
      const held = infos.filter((info) => info !== undefined).filter((info) => !canBeHad(info));
      return { permits, free: permits - held.length, held };
    },
  };
}

/**
 * One write on the permit that chance, or the owner, points to. Refused: one batch read of all permits, then a write on
 * one that is free, by chance; refused again, on the next one. None is free: wait by reads until one could be.
 *
 * @throws LockHeldError, StoreError, UsageError, the signal's own reason
 */
export async function acquirePermit(
  host: LockHost,
  name: string,
  names: readonly string[],
  { waitMs = 0, ...options }: PermitOptions,
): Promise<Lease> {
  const search = new PermitSearch(host, name, names, options);
  const pacing = host.pacing(waitMs);
  let found = options.supersede ? await search.superseded() : await search.first();
  while (!found) {
    found = await search.seenFree();
    if (found) break;
    if (pacing.leftMs <= 0) throw search.gaveUp(pacing.waitedMs);
    await sleep(host.runtime, pacing.nextDelayMs(search.untilFreeMs), options.signal);
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
  #seen: readonly (LockInfo | undefined)[] = [];
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

  /** The owner's own earlier permit, if it has one; else a free one. */
  async superseded(): Promise<Lease | null> {
    await this.#look();
    const owner = this.#options.owner ?? this.#host.owner;
    const own = this.#seen.findIndex((info) => info?.owner === owner && !canBeHad(info));
    return own < 0 ? null : this.#try(this.#names[own]!);
  }

  /** A look at all permits, and a write on each that is free until one is granted. */
  async seenFree(): Promise<Lease | null> {
    if (!(await this.#look())) return null;
    const free = this.#names.filter((_, i) => canBeHad(this.#seen[i]));
    for (const name of shuffled(free, this.#host.runtime.random)) {
      const lease = await this.#try(name);
      if (lease) return lease;
    }
    return null;
  }

  /** Until the first of the leases seen could be over, in milliseconds. */
  get untilFreeMs(): number | undefined {
    const times = this.#seen.flatMap((info) => (info && !canBeHad(info) ? [info.remainingMs] : []));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  gaveUp(waitedMs: number): Error {
    const [soonest] = this.#seen
      .flatMap((info) => (info && !canBeHad(info) ? [info] : []))
      .sort((a, b) => a.remainingMs - b.remainingMs);
    if (!soonest && this.#lastError) return this.#lastError;
    const holder = soonest && {
      owner: soonest.owner ?? 'unknown',
      token: soonest.token,
      leaseId: soonest.leaseId,
      acquiredAt: soonest.acquiredAt ?? 0,
      remainingMs: soonest.remainingMs,
    };
    return new LockHeldError(this.#name, holder, waitedMs, { cause: this.#lastError });
  }

  async #look(): Promise<boolean> {
    try {
      const { signal, lockDelayMs } = this.#options;
      this.#seen = await this.#host.inspectMany(this.#names, signal, lockDelayMs);
      return true;
    } catch (error) {
      this.#tolerate(error);
      return false;
    }
  }

  async #try(name: string): Promise<Lease | null> {
    try {
      const lease = await this.#host.tryAcquire(name, this.#options);
      this.#lastError = undefined;
      return lease;
    } catch (error) {
      // A permit that somebody completed is out of use until it is reopened; the others are not.
      if (error instanceof AlreadyCompletedError) return null;
      this.#tolerate(error);
      return null;
    }
  }

  /** What passes is a part of waiting. */
  #tolerate(error: unknown): void {
    if (!(error instanceof StoreError) || !error.retryable || this.#options.signal?.aborted) throw error;
    this.#lastError = error;
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
