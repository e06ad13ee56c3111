import { createHash, timingSafeEqual } from 'node:crypto';
import type { LeaseItem, TableContext } from '../lease/index.js';
import { ttlAfter } from '../lease/lease-context.js';
import { leaseFormat } from '../lease/lease-item.js';

/** Names and groups that begin so are the service's own. */
const reserved = 'execution/';

/** The group in which the locks of an execution are found when it has ended. */
export function groupOfExecution(execution: string): string {
  return `${reserved}${execution}`;
}

/** Whether callers may not use it as a group. */
export function isReservedGroup(group: string): boolean {
  return group.startsWith(reserved);
}

/** Whether the name is that of an execution's own item, which is no lock. */
export function isExecutionItem(name: string): boolean {
  return /^execution\/arn:[^:]*:states:/.test(name);
}

/** Begins the attributes of an execution's item: the names of locks that stand in groups of their own. */
const heldPrefix = 'holds_';

/**
 * Notes that an execution is about to hold a lock which stands in another group than the execution's: in an item of the
 * execution's own, which is found with the group. Written before the grant, so that no lock is missed; a name whose grant
 * then fails is passed over at the end, since that lock is not the execution's.
 *
 * @throws StoreError when the table can't be used
 */
export async function noteHeld(
  context: TableContext,
  execution: string,
  name: string,
  leaseMs: number,
  signal: AbortSignal,
): Promise<void> {
  const group = groupOfExecution(execution);
  const id = createHash('sha256').update(name).digest('hex').slice(0, 32);
  const ttl = ttlAfter(context, context.clock.now().latest + leaseMs);
  // It bears the mark of our items, and so is a free lock to whoever lists the table.
  const set = { format: leaseFormat, group, ttl, [`${heldPrefix}${id}`]: name };
  const version = { text: 'if_not_exists(#version, :one)', values: { ':one': 1 } };
  // Also where the item is there: the same lock again, or another one. A name of 1 KB leaves room for hundreds.
  const condition = { text: 'attribute_not_exists(#leaseId)' };
  await context.table.update(group, { set, compute: { version }, condition }, signal);
}

/** The names in an execution's item. */
export function heldNames(item: LeaseItem): string[] {
  return Object.entries(item).flatMap(([attribute, value]) =>
    attribute.startsWith(heldPrefix) && typeof value === 'string' ? [value] : [],
  );
}

/**
 * Written with a grant whose caller gave a key: what proves later that a request comes from the same owner. It is bound to
 * the lease by its id, since other grants do not remove it, and no answer shows it.
 */
export interface OwnerMark {
  readonly ownerProof: string;
}

/** The attribute of {@link OwnerMark}, to be taken away when the lease ends. */
export const ownerAttribute = 'ownerProof';

/** A key's hash, salted by the lease's id and name: equal keys are not seen to be equal. */
export function toProof(name: string, leaseId: string, ownerKey: string): string {
  return createHash('sha256')
    .update(JSON.stringify([name, leaseId, ownerKey]))
    .digest('base64url');
}

/**
 * Whether the key is the one that the item's lease was granted with. Owner and token are no proof: a refusal shows them
 * to everybody.
 */
export function provesOwner({ name, leaseId, ownerProof }: LeaseItem, ownerKey: string | undefined): boolean {
  if (leaseId === undefined || ownerKey === undefined || typeof ownerProof !== 'string') return false;
  const given = Buffer.from(toProof(name, leaseId, ownerKey));
  const stored = Buffer.from(ownerProof);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
