import type { LocalInstant } from '../clock/store-clock.js';
import { formsBy, type ItemChange } from '../table/form.js';
import type { WriteAnswer } from '../table/item-table.js';
import { mayBeGranted } from './conditions.js';
import {
  endFor,
  isNarrow,
  type TableContext,
  takeoverBefore,
  timeErrors,
  ttlAfter,
} from './lease-context.js';
import { type LeaseItem, leaseFormat, numberLimit } from './lease-item.js';

/** What an acquire asks for. */
export interface GrantRequest {
  readonly name: string;
  /** New for each acquire call, the same over its attempts. */
  readonly leaseId: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** How long a waiter watches the lease; 0 where its holder does not count it from when it asked. @default its length */
  readonly watchMs?: number;
  /** No earlier attempt was carried out before this. @default this is the first */
  readonly askedAt?: LocalInstant;
  /** So much of the lease its holder does not need, in milliseconds. @default 0 */
  readonly spareMs?: number;
  readonly group?: string;
  /** The highest token that this call was shown under the name: its own must lie above it. @default none was shown */
  readonly aboveToken?: number;
  /** Supersede: the caller's own earlier lease, as a refusal showed it. Or one that was watched: then `change` demands more. */
  readonly seenLeaseId?: string;
  /** The same lease by its token: for a store that shows lease ids to their holders only. */
  readonly seenToken?: number;
  /** A lease that ran out, instead of being released, is taken so much later: whole milliseconds. @default 0 */
  readonly lockDelayMs?: number;
  /** Written, and demanded, along with the grant. */
  readonly change?: ItemChange;
  /** Told the item of a refusal: whether the condition of `change` will never be true of it, so that no write helps. */
  readonly giveUpWhen?: (item: LeaseItem) => boolean;
}

/** A grant as the store has it. */
export interface Grant {
  readonly leaseId: string;
  readonly token: number;
  readonly expiresAt: number;
  /** By so much later it ends in the store: no shorter lease could be had there. In milliseconds. @default 0 */
  readonly surplusMs?: number;
  readonly acquiredAt: number;
  /** Asked for no sooner than this: the holder counts from here. */
  readonly askedAt: LocalInstant;
  /** The item before the grant; after an adoption, the item that was found. Absent for a new name. */
  readonly item: LeaseItem | undefined;
  /** Granted by an earlier attempt of the same call, whose answer was lost. */
  readonly adopted: boolean;
  /** The lease id that was handed over, where this grant goes on with it. */
  readonly resumes?: string;
}

/** How one acquire write ended. */
export type GrantOutcome =
  | { readonly kind: 'granted'; readonly grant: Grant }
  /**
   * Held by somebody; or, with `item` undefined or free, the state moved between refusal and reading.
   * `mayArriveLate`: an earlier attempt of this very write is still on its way, for all we know.
   */
  | { readonly kind: 'held'; readonly item: LeaseItem | undefined; readonly mayArriveLate: boolean }
  | { readonly kind: 'completed'; readonly item: LeaseItem }
  /** This call's lease was already released or broken: a new call is needed. */
  | { readonly kind: 'given-back' }
  /** From the lock service: an earlier attempt was granted, and its lease has run out; the item may still carry it. */
  | { readonly kind: 'expired' };

/** What a grant writes, and demands. */
const grantForms = formsBy((isGrouped: boolean, supersedes: boolean, delays: boolean) => ({
  set: [
    'leaseId',
    'owner',
    'expiresAt',
    'leaseMs',
    'acquiredAt',
    'ttl',
    'format',
    ...(isGrouped ? ['group'] : []),
  ],
  compute: { version: ':token', renewals: ':none' },
  remove: ['releaseRequested', 'freeFrom'],
  condition: mayBeGranted(supersedes, delays),
}));

/** One acquire write: the grant, for what it is worth, and the answer, which tells whether there is one. */
export interface GrantWrite {
  readonly grant: Grant;
  readonly answer: WriteAnswer;
}

/**
 * The acquire write (protocol, sections 2 and 4), idempotent by `leaseId`. What a refusal means is for
 * `refused-writes.ts` to say.
 *
 * @throws StoreError when the store can't be used, or its time is not known well enough
 */
export async function writeGrant(
  context: TableContext,
  request: GrantRequest,
  signal?: AbortSignal,
): Promise<GrantWrite> {
  const { clock, table } = context;
  const {
    name,
    leaseId,
    owner,
    leaseMs,
    group,
    aboveToken = 0,
    seenLeaseId,
    lockDelayMs = 0,
    watchMs = leaseMs,
    askedAt = clock.instant(),
    change,
  } = request;
  const now = clock.now();
  // The store time of the grant, or one more than the last token: never a time that it may not be yet.
  const token = Math.max(Math.ceil(now.earliest), aboveToken + 1);
  if (!isNarrow(now)) throw (await timeErrors()).tooVague(table.tableName, now);
  if (token >= numberLimit) throw (await timeErrors()).noTokenLeft(name, aboveToken);
  const acquiredAt = Math.ceil(clock.now().latest);
  const expiresAt = endFor(context, leaseMs, request.spareMs);
  const before = takeoverBefore(context);
  const form = grantForms(group !== undefined, seenLeaseId !== undefined, lockDelayMs > 0);
  const values = {
    leaseId,
    owner,
    expiresAt,
    leaseMs: watchMs,
    acquiredAt,
    token,
    group,
    seenLeaseId,
    none: 0,
    ttl: ttlAfter(context, expiresAt),
    format: leaseFormat,
    takeoverBefore: before,
    expiredBefore: before - lockDelayMs,
  };
  const answer = await table.update(name, { form, values, change, wantsOld: true }, signal);
  // The condition has told that it is ours. What somebody has changed in it by hand is no reason to drop the grant.
  const item = answer.applied ? (answer.old as LeaseItem | undefined) : undefined;
  const grant = { leaseId, token, expiresAt, acquiredAt, askedAt, item, adopted: false };
  return { grant, answer };
}
