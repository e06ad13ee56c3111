import { type GrantOutcome, type GrantRequest, requestGrant } from '../../lib/lease/index.js';
import type { Actor } from './stage.js';

/** One bare acquire write of an actor: no queue, no waiting, no heartbeat. */
export function toGrant(
  { locks }: Actor,
  name: string,
  leaseId: string,
  more: Partial<GrantRequest> = {},
): Promise<GrantOutcome> {
  return requestGrant(locks.context, { name, leaseId, owner: locks.owner, leaseMs: 3_000, ...more });
}
