import type { LossReason } from '../errors/index.js';
import type { Grant, GrantOutcome, GrantRequest } from './acquire-request.js';
import { isExactly } from './later-conditions.js';
import type { TableContext } from './lease-context.js';
import type { LeaseItem } from './lease-item.js';
import { lossReason, requestGrant } from './refused-writes.js';

/** What goes on with a lease that was handed over asks for. */
export interface ResumeRequest {
  readonly name: string;
  /** New for each call, the same over its attempts. */
  readonly leaseId: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** As of a {@link GrantRequest}. */
  readonly watchMs?: number;
  /** The lease that was handed over. */
  readonly from: { readonly leaseId: string; readonly token: number };
}

/** How that ended. */
export type ResumeOutcome =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'completed'; readonly item: LeaseItem }
  /** The line was broken: somebody else has, or had, the lock. Nothing was changed. */
  | { readonly kind: 'lost'; readonly reason: LossReason };

/**
 * Written with the grant: which lease goes on with which. `resumingLease` says of which grant that is true, since
 * others do not remove it.
 */
interface ResumeMark {
  readonly resumes: string;
  readonly resumingLease: string;
}

/**
 * Resume: a grant under a new lease id and a higher token, which names exactly the lease that was handed over. Two
 * processes that were given the same JSON (a state that is retried after a time-out) so never hold one lease id: the
 * later one is refused by the lease of the earlier, finds by its mark that it stems from the same hand-over, and takes
 * over by a second write that names exactly that one, as a supersede does. The earlier one is told that it has lost,
 * and its token is refused by what checks it. A delayed duplicate of either write names a lease that is no longer
 * current and changes nothing.
 *
 * That the lease has run out meanwhile is no obstacle while nobody else has had the lock: the item still carries it.
 */
export async function requestResumption(
  context: TableContext,
  request: ResumeRequest,
  signal?: AbortSignal,
): Promise<ResumeOutcome> {
  const { from } = request;
  const asked = { ...request, askedAt: context.clock.instant() };
  let outcome = await take(context, asked, from, signal);
  const sibling = outcome.kind === 'held' ? siblingIn(outcome.item, from.leaseId) : undefined;
  if (sibling) outcome = await take(context, asked, sibling, signal);

  if (outcome.kind === 'granted')
    return { kind: 'granted', grant: { ...outcome.grant, resumes: from.leaseId } };
  if (outcome.kind === 'completed') return outcome;
  if (outcome.kind === 'given-back') return { kind: 'lost', reason: 'broken' };
  if (outcome.kind === 'expired') return { kind: 'lost', reason: 'expired' };
  return { kind: 'lost', reason: lossReason({ name: request.name, ...from }, outcome.item) };
}

function take(
  context: TableContext,
  { from, ...request }: ResumeRequest & Pick<GrantRequest, 'askedAt'>,
  seen: { readonly leaseId: string; readonly token: number },
  signal: AbortSignal | undefined,
): Promise<GrantOutcome> {
  const set = { resumes: from.leaseId, resumingLease: request.leaseId } satisfies ResumeMark;
  const change = { set, condition: isExactly(seen.leaseId, seen.token) };
  const named = { ...request, seenLeaseId: seen.leaseId, aboveToken: seen.token, change };
  return requestGrant(context, named, signal);
}

/** The lease by which an earlier attempt goes on with the same hand-over. */
function siblingIn(item: LeaseItem | undefined, handedOver: string) {
  if (item?.leaseId === undefined) return undefined;
  const { resumes, resumingLease, leaseId, version } = item;
  return resumes === handedOver && resumingLease === leaseId ? { leaseId, token: version } : undefined;
}
