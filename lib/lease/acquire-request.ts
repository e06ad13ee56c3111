import { type ItemChange, merged } from '../table/index.js';
import { mayBeGranted } from './conditions.js';
import { expiryFor, type TableContext, takeoverBefore, ttlAfter } from './lease-context.js';
import { type LeaseItem, parseLeaseItem } from './lease-item.js';

/** What an acquire asks for. */
export interface GrantRequest {
  readonly name: string;
  /** New for each acquire call, the same over its attempts. */
  readonly leaseId: string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly group?: string;
  /** Supersede: the caller's own earlier lease, as a refusal showed it. */
  readonly seenLeaseId?: string;
  /** The same lease by its token: for a store that shows lease ids to their holders only. */
  readonly seenToken?: number;
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
 * The acquire write (protocol, section 4): one conditional write, idempotent by `leaseId`.
 *
 * @throws StoreError when the store can't be used
 * @throws UsageError when the item under the name is not ours
 */
export async function requestGrant(
  context: TableContext,
  request: GrantRequest,
  signal?: AbortSignal,
): Promise<GrantOutcome> {
  const { name, leaseId } = request;
  const acquiredAt = Math.ceil(context.clock.now().latest);
  const expiresAt = expiryFor(context, request.leaseMs);
  // The token of a new item starts at the time, above every token of an item that TTL removed (section 2).
  const seed = acquiredAt;
  const change = merged(
    {
      set: {
        leaseId,
        owner: request.owner,
        expiresAt,
        leaseMs: request.leaseMs,
        acquiredAt,
        renewals: 0,
        group: request.group,
        ttl: ttlAfter(context, expiresAt),
      },
      compute: {
        version: { text: 'if_not_exists(#version, :seed) + :one', values: { ':seed': seed, ':one': 1 } },
      },
    },
    request.change,
  );
  const condition = mayBeGranted(leaseId, takeoverBefore(context), request.seenLeaseId);
  const write = { ...merged(change, { condition }), wantsOld: true };
  const answer = await context.table.update(name, write, signal);

  if (answer.applied) {
    const item = answer.old && parseLeaseItem(name, answer.old);
    const token = (item?.version ?? seed) + 1;
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
