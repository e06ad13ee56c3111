import { createHash, timingSafeEqual } from 'node:crypto';
import type { LeaseItem } from '../lease/index.js';

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
