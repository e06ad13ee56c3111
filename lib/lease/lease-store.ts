import type { LineStore } from '../kit/line-store.js';
import type { ItemChange, Paging, StoredItem } from '../table/index.js';
import type { GrantOutcome, GrantRequest } from './acquire-request.js';
import type { HolderOutcome, LeaseIdentity } from './holder-requests.js';
import type { TableContext } from './lease-context.js';
import type { LeaseItem } from './lease-item.js';
import type { ResumeOutcome, ResumeRequest } from './resume-request.js';

/** What is written down when the work under a name is finished. */
export interface Completion {
  readonly result: unknown;
  /** How long the result is kept, in milliseconds. @default for good, without a `ttl` */
  readonly retainMs?: number;
  /** Further attributes under a further condition, in the same write. */
  readonly change?: ItemChange;
}

/** A lease as somebody else was shown it: by its id, or by its token where ids are shown to their holders only. */
export interface SeenLease {
  readonly name: string;
  readonly leaseId?: string;
  readonly token?: number;
}

/**
 * The operations of the protocol (section 4), and the only way in which leases, waiters and operators reach their
 * items. {@link tableStore} is the one over a table; a client of the Lambda service brings another.
 *
 * Every method is idempotent, ends within the time-outs that the store was made with, and throws a `StoreError` when
 * the store can't be used, a `UsageError` when the request can't be right.
 */
export interface LeaseStore extends LineStore {
  /** Whether attributes and conditions of the caller's own can ride along with its writes. */
  readonly takesChanges: boolean;

  /** One try for the lock. Its lease id is new for each acquire call, and the same over its tries. */
  grant(request: GrantRequest, signal?: AbortSignal): Promise<GrantOutcome>;

  /** Goes on with a lease that was handed over, under a new lease id and a higher token. */
  resume(request: ResumeRequest, signal?: AbortSignal): Promise<ResumeOutcome>;

  /** Lengthens the lease to `expiresAt`, which must lie above all that was asked for before. */
  renew(
    lease: LeaseIdentity,
    expiresAt: number,
    change?: ItemChange,
    signal?: AbortSignal,
  ): Promise<HolderOutcome>;

  /** Ends the lease; the item and its token stay. */
  release(lease: LeaseIdentity, change?: ItemChange, signal?: AbortSignal): Promise<HolderOutcome>;

  /** A release after which nobody can acquire the name until it is reopened. */
  complete(lease: LeaseIdentity, completion: Completion, signal?: AbortSignal): Promise<HolderOutcome>;

  /** An operator's release: by the lease id that the operator was shown, without its token. */
  break(lease: LeaseIdentity, signal?: AbortSignal): Promise<HolderOutcome>;

  /** Writes onto the lease that somebody asks for it. Answers whether it is the current one. */
  requestRelease(lease: SeenLease, reason: string, signal?: AbortSignal): Promise<boolean>;

  /**
   * Takes the completion back that was seen. Answers whether the name exists and is open now.
   *
   * @param completedAt what was seen. @default as one read more finds it
   */
  reopen(name: string, completedAt?: number, signal?: AbortSignal): Promise<boolean>;

  /**
   * The item, read strongly consistently.
   *
   * @param leaseId the reader's own, if it has one: a store that shows lease ids to nobody else shows this one
   */
  read(name: string, leaseId?: string, signal?: AbortSignal): Promise<LeaseItem | undefined>;

  /** As {@link read}, for many names, in their order. One batch read where the store has one. */
  readMany(names: readonly string[], signal?: AbortSignal): Promise<readonly (LeaseItem | undefined)[]>;

  /** Items page by page: those of a group in the order of their names, or all. Other people's among them, too. */
  list(
    group: string | undefined,
    signal?: AbortSignal,
    paging?: Paging,
  ): AsyncIterable<readonly StoredItem[]>;

  /** Makes sure that there is store time by the time it is needed, and that it is worth using. */
  ensureTime(signal?: AbortSignal): Promise<void>;
}

/** What leases, waiters and operators work with: they go through `store`, whatever stands behind it. */
export interface LeaseContext extends TableContext {
  readonly store: LeaseStore;
  /** Aborts when the client is closed: nothing is renewed from then on. @default never */
  readonly closed?: AbortSignal;
}

/** What a plain lock does not ask a store for. */
export const laterOperations = [
  ...(['read', 'readMany', 'complete', 'resume', 'break', 'requestRelease', 'reopen'] as const),
  ...(['readLine', 'joinLine', 'leaveLine'] as const),
];
