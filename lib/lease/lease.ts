import type { HolderInfo, LockLostError } from '../errors/index.js';
import { loadedOnce } from '../runtime/index.js';
import type { ItemChange } from '../table/index.js';
import type { Grant } from './acquire-request.js';
import type { HandedOver } from './handed-over.js';
import { Hold, type HoldListener } from './hold.js';
import type { LeaseItem } from './lease-item.js';
import type { LeaseContext } from './lease-store.js';
import {
  type ChangeOutcome,
  type HoldSettings,
  type ReleaseOutcome,
  type TakenOver,
  takenOverBy,
} from './lease-term.js';

/**
 * A lease that was granted: proof, for as long as it is valid, that nobody else holds the name.
 *
 *     held ──release / complete──► ending ──► ended
 *      ├──handOver──► handed over     (another process goes on with it)
 *      └──expired, taken over, broken, store unavailable──► lost     (told once, never undone)
 *
 * While held, a heartbeat renews it; one write at a time. `signal` fires a safety margin before the lease could
 * end. `isHeld` and `throwIfLost` are computed from the clocks at the call, so they are right even after a
 * blocked event loop or a thawed Lambda. A lease alone is not mutual exclusion: give `token` to what you write to.
 */
export class Lease implements AsyncDisposable {
  readonly name: string;
  /** The fencing token: larger than that of every lease granted under this name before. */
  readonly token: number;
  readonly owner: string;
  /** This lease's identity in the store. */
  readonly leaseId: string;
  /** Store time of the grant, milliseconds since the epoch. */
  readonly acquiredAt: number;
  /** Set when the lock was taken from a lease that had not been released. */
  readonly takenOverFrom: TakenOver | undefined;
  /**
   * The item as it stood before the grant; its own attributes are the caller's to read.
   *
   * @internal
   */
  readonly itemBefore: LeaseItem | undefined;

  readonly #hold: Hold;
  #checkpoint: unknown;

  /**
   * Made by `LockClient`.
   *
   * @internal
   */
  constructor(
    context: LeaseContext,
    identity: { readonly name: string; readonly owner: string },
    grant: Grant,
    settings: HoldSettings,
    listener: HoldListener = {},
  ) {
    const { name, owner } = identity;
    const { token, leaseId, acquiredAt, item } = grant;
    this.name = name;
    this.owner = owner;
    this.token = token;
    this.leaseId = leaseId;
    this.acquiredAt = acquiredAt;
    this.itemBefore = item;
    this.takenOverFrom = takenOverBy(grant);
    this.#checkpoint = item?.checkpoint;
    this.#hold = new Hold(context, { name, owner, token, leaseId }, grant, settings, listener);
  }

  /**
   * Aborts when the lease is in danger, at the latest a safety margin before its end: the reason is a `LockLostError`.
   * And when the lease is ended here, as by {@link release}: the reason is a `UsageError`, for work that nobody awaited.
   */
  get signal(): AbortSignal {
    return this.#hold.signal;
  }

  /**
   * Aborts when somebody asks this holder to let go (`requestRelease`); the reason is theirs, a text. Nothing is lost yet:
   * release when it suits, or go on. Learnt with a renewal.
   */
  get releaseRequested(): AbortSignal {
    return this.#hold.releaseRequested;
  }

  /** Whether the lease is valid, computed now. */
  get isHeld(): boolean {
    return this.#hold.isHeld;
  }

  /** Why the lease is over although it was not ended here; `undefined` while it is not lost. Computed now. */
  get loss(): LockLostError | undefined {
    return this.isHeld ? undefined : this.#hold.loss;
  }

  /** How long the lease is still valid if it is not renewed, in milliseconds; 0 when it is over. */
  get remainingMs(): number {
    return this.#hold.remainingMs;
  }

  /** The checkpoint as this lease last saved it, or as the holder before left it. */
  get checkpoint(): unknown {
    return this.#checkpoint;
  }

  /** What an operator or a waiter is told about this lease. */
  get holderInfo(): HolderInfo {
    const { owner, token, leaseId, acquiredAt, remainingMs } = this;
    return { owner, token, leaseId, acquiredAt, remainingMs };
  }

  /**
   * Computed now, without a request.
   *
   * @throws LockLostError when the lease is over without having been ended here; UsageError when it was ended here, by
   *   {@link release}, {@link complete} or {@link handOver}
   */
  throwIfLost(): void {
    if (!this.isHeld) throw this.#hold.loss ?? this.#hold.endedError();
  }

  /**
   * Renews now, instead of at the next heartbeat.
   *
   * @throws LockLostError when the lease is over; StoreError when the store did not answer (the lease goes on)
   */
  async renew(): Promise<void> {
    await this.#hold.renew();
  }

  /**
   * Stores progress, together with a renewal: no request more than the heartbeat would have cost.
   *
   * @param checkpoint anything DynamoDB can store, at most 384 KB, as it is at the call; dates and instances of classes
   *   are stored as JSON would have them. The next holder finds it. `undefined` takes it away
   * @throws UsageError when it can't be stored; LockLostError when the lease is over and nothing was stored; StoreError when nobody knows
   */
  async save(checkpoint: unknown): Promise<void> {
    this.#checkpoint = await this.#later('save', checkpoint);
  }

  /**
   * Renews and writes further attributes under a further condition, all in one write. For those who build on
   * leases, as the scan does: values of conditions need placeholders of their own.
   *
   * @throws LockLostError, StoreError as {@link renew}
   * @internal
   */
  renewWith(change: ItemChange): Promise<ChangeOutcome> {
    return this.#hold.renew(change);
  }

  /**
   * Ends the lease; the lock is free at once. What was asked for before, as by {@link save}, is carried out before it;
   * what is asked for after it is refused. After a loss it changes nothing and says so.
   * Does not run on the work's signal, which may be aborted; the table's time-outs bound it.
   *
   * @throws StoreError when the store can't be reached: the lease then runs out by itself
   */
  release(): Promise<ReleaseOutcome>;
  /**
   * @param change written along; without a condition, since a release must not be refused
   * @param signal gives up waiting for the store; not the work's own
   * @internal
   */
  release(change?: Omit<ItemChange, 'condition'>, signal?: AbortSignal): Promise<ReleaseOutcome>;
  release(change?: Omit<ItemChange, 'condition'>, signal?: AbortSignal): Promise<ReleaseOutcome> {
    return this.#hold.release(change && { ...change }, signal);
  }

  /**
   * Marks the work under this name as finished, for good, and ends the lease.
   *
   * The item stays until it is reopened, and is paid for as storage: with `retainMs` Time to Live removes it after a while.
   *
   * @param result anything DynamoDB can store, at most 384 KB, as it is at the call; dates and instances of classes are
   *   stored as JSON would have them. Later callers get it in an `AlreadyCompletedError`
   * @param options.retainMs how long it is kept, in milliseconds, at least a day. @default for good
   * @throws UsageError when it can't be stored, and nothing was changed; LockLostError when the lease is over (nothing was stored); StoreError when nobody knows
   */
  async complete(result?: unknown, options?: { readonly retainMs?: number }): Promise<void> {
    await this.#later('complete', result, options);
  }

  /**
   * As {@link complete}, with further attributes under a further condition. If that does not hold the lease goes on. Kept
   * for the client's `retentionMs`.
   *
   * @internal
   */
  completeWith(result: unknown, change: ItemChange): Promise<ChangeOutcome> {
    return this.#later('completeWith', result, change);
  }

  /**
   * Ends the lease here without freeing the lock, so that another process can go on with it: `resume` takes what this
   * answers. One write. Do it last. Nobody else can have the lock until `expiresAt`; if nobody goes on with it by then,
   * it is as free as after a crash. The time that this process itself has left plays no part.
   *
   * @param options.leaseMs how long the lease shall last from now on, in milliseconds: the gap until somebody goes on
   *   with it. @default the length of the lease
   * @returns JSON, e.g. for the next state of a Step Functions execution
   * @throws LockLostError when the lease is over; StoreError when the store did not answer (the lease goes on here);
   *   UsageError after a release, or a second time
   */
  handOver(options?: { readonly leaseMs?: number }): Promise<HandedOver> {
    return this.#later('handOver', options);
  }

  /**
   * Does in its turn what is loaded later. What can't be right is refused first, whatever became of the lease.
   *
   * @param given as it is now: the write may have to wait for another one
   */
  async #later<T>(call: keyof LeaseCalls, ...given: readonly unknown[]): Promise<T> {
    const asked = given.map(copied);
    const loaded = later().then(({ leaseCalls }) => leaseCalls[call] as LaterCall<T>);
    const checked = loaded.then(({ check }) => check(this.name, ...asked));
    // Its place is taken now: a release that is asked for after it comes after it.
    const done = this.#hold.inTurn(async () => (await loaded).act(this.#hold, await checked));
    done.catch(() => {});
    await checked;
    return done;
  }

  /**
   * Releases; never throws. A release that failed is told on `leasehold:release-failed`; if the store may take it later
   * it is repeated in the background, for as long as the lease would last.
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.giveBack();
  }

  /** As the disposer. `signal` gives up waiting for the store: for those whose own time runs out. */
  giveBack(signal?: AbortSignal): Promise<void> {
    return this.#hold.giveBack(signal);
  }
}

type LeaseCalls = typeof import('./later-store.js')['leaseCalls'];

/** One of them, whatever it takes. */
interface LaterCall<T> {
  check(lockName: string, ...given: readonly unknown[]): unknown;
  act(hold: Hold, checked: unknown): Promise<T>;
}

const later = loadedOnce(() => import('./later-store.js'));

/** `toStorable` tells by name what goes deeper. */
const maxDepth = 30;

/** A copy, made now: what the caller changes later plays no part. What can't be copied is left for `toStorable` to refuse. */
function copied(value: unknown): unknown {
  try {
    return toCopy(value, 0);
  } catch {
    return value;
  }
}

function toCopy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || 'toAttributeValue' in value) return value;
  // Nobody changes the ones, and the other is refused.
  if ([Number, String, Boolean, Error].some((kind) => value instanceof kind)) return value;
  if (depth > maxDepth) throw value;
  const inner = (one: unknown) => toCopy(one, depth + 1);
  if (Array.isArray(value)) return Array.from(value, inner);
  if (value instanceof Set) return new Set([...value].map(inner));
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  }
  if (value instanceof ArrayBuffer) return value.slice(0);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return inner(toJSON.call(value, ''));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, one]) => [key, inner(one)]));
}
