import { UsageError } from '../errors/index.js';
import { formsBy, type ItemChange, withChange } from '../table/index.js';
import { mayBeGranted } from './conditions.js';
import {
  endFor,
  freeAfter,
  narrowTime,
  type TableContext,
  takeoverBefore,
  ttlAfter,
} from './lease-context.js';
import { type LeaseItem, leaseFormat, numberLimit, parseLeaseItem } from './lease-item.js';

/** What an acquire asks for. */
export interface GrantRequest {
  readonly name: string;
  /** New for each acquire call, the same over its attempts. */
  readonly leaseId: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** So much of the lease its holder does not need, in milliseconds. @default 0 */
  readonly spareMs?: number;
  readonly group?: string;
  /** The highest token that this call was shown under the name: its own must lie above it. @default none was shown */
  readonly aboveToken?: number;
  /** Supersede: the caller's own earlier lease, as a refusal showed it. */
  readonly seenLeaseId?: string;
  /** The same lease by its token: for a store that shows lease ids to their holders only. */
  readonly seenToken?: number;
  /** A lease that ran out, instead of being released, is taken so much later: whole milliseconds. @default 0 */
  readonly lockDelayMs?: number;
  /** Written, and demanded, along with the grant. */
  readonly change?: ItemChange;
}

/** A grant as the store has it. */
export interface Grant {
  readonly leaseId: string;
  readonly token: number;
  readonly expiresAt: number;
  /** By so much later it ends in the store: no shorter lease could be had there. In milliseconds. @default 0 */
  readonly surplusMs?: number;
  readonly acquiredAt: number;
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

/**
 * A free lock's last token may lie ahead of this clock: then once more above it. Each further time somebody else has
 * had the lock in between.
 */
const maxWrites = 3;

/**
 * The acquire write (protocol, sections 2 and 4): one conditional write, idempotent by `leaseId`. Where the lock is free
 * and its last token lies ahead of this clock there is a second one, above that token.
 *
 * @throws StoreError when the store can't be used, or its time is not known well enough
 * @throws UsageError when the item under the name is not ours
 */
export async function requestGrant(
  context: TableContext,
  request: GrantRequest,
  signal?: AbortSignal,
): Promise<GrantOutcome> {
  let { aboveToken } = request;
  let mayArriveLate = false;
  for (let writes = 1; ; writes++) {
    const token = nextToken(context, request.name, aboveToken);
    const outcome = await writeGrant(context, request, token, signal);
    if (outcome.kind !== 'held') return outcome;
    mayArriveLate ||= outcome.mayArriveLate;
    if (writes === maxWrites || !isFreeAhead(context, request, token, outcome.item)) {
      return { ...outcome, mayArriveLate };
    }
    aboveToken = outcome.item.version;
  }
}

/** The store time of the grant, or one more than the last token: never a time that it may not be yet. */
function nextToken(context: TableContext, name: string, aboveToken = 0): number {
  const token = Math.max(Math.ceil(narrowTime(context).earliest), aboveToken + 1);
  if (token < numberLimit) return token;
  throw new UsageError(`No token is left for "${name}": the last one is ${aboveToken}`, name);
}

/** Whether only its token stood against a grant. */
function isFreeAhead(
  context: TableContext,
  { seenLeaseId, lockDelayMs }: GrantRequest,
  token: number,
  item: LeaseItem | undefined,
): item is LeaseItem {
  if (item === undefined || item.version < token) return false;
  // The lease that it takes over is no obstacle to a supersede.
  const others = item.leaseId === seenLeaseId ? { ...item, leaseId: undefined } : item;
  return freeAfter(others, lockDelayMs) < takeoverBefore(context);
}

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
  compute: { version: { text: ':token' }, renewals: { text: ':none' } },
  remove: ['releaseRequested', 'freeFrom'],
  condition: mayBeGranted('', 0, 0, supersedes ? '' : undefined, Number(delays)),
}));

async function writeGrant(
  context: TableContext,
  request: GrantRequest,
  token: number,
  signal: AbortSignal | undefined,
): Promise<GrantOutcome> {
  const { name, leaseId } = request;
  const acquiredAt = Math.ceil(context.clock.now().latest);
  const expiresAt = endFor(context, request.leaseMs, request.spareMs);
  const { group, seenLeaseId, lockDelayMs = 0 } = request;
  const before = takeoverBefore(context);
  const values = {
    ':leaseId': leaseId,
    ':owner': request.owner,
    ':expiresAt': expiresAt,
    ':leaseMs': request.leaseMs,
    ':acquiredAt': acquiredAt,
    ':none': 0,
    ':ttl': ttlAfter(context, expiresAt),
    ':format': leaseFormat,
    ':token': token,
    ':takeoverBefore': before,
    ':expiredBefore': before - lockDelayMs,
    ':group': group,
    ':seenLeaseId': seenLeaseId,
  };
  const form = grantForms(group !== undefined, seenLeaseId !== undefined, lockDelayMs > 0);
  const write = withChange({ form, values, wantsOld: true }, request.change);
  const answer = await context.table.update(name, write, signal);

  if (answer.applied) {
    // The condition has told that it is ours. What somebody has changed in it by hand is no reason to drop the grant.
    const item = answer.old as LeaseItem | undefined;
    return { kind: 'granted', grant: { leaseId, token, expiresAt, acquiredAt, item, adopted: false } };
  }
  const item = answer.item && parseLeaseItem(name, answer.item);
  if (item?.leaseId === leaseId) {
    const grant = {
      leaseId,
      token: item.version,
      expiresAt: item.expiresAt!,
      acquiredAt: item.acquiredAt ?? acquiredAt,
      item,
      adopted: true,
    };
    return { kind: 'granted', grant };
  }
  if (item?.completedAt !== undefined) return { kind: 'completed', item };
  if (item?.lastLeaseId === leaseId) return { kind: 'given-back' };
  return { kind: 'held', item, mayArriveLate: answer.retried };
}
