import { callsOf, loadedOnce } from '../runtime/index.js';
import { writeGrant } from './acquire-request.js';
import { ended, writeEnd, writeRenewal } from './holder-requests.js';
import { ensureStoreTime, type TableContext } from './lease-context.js';
import { type LeaseStore, laterOperations } from './lease-store.js';

/**
 * Leases straight in a table: each operation is its one conditional write or read, by the client's own store clock. What
 * a plain lock does not need, and what a refusal means, is loaded with the first of them.
 */
export function tableStore(context: TableContext): LeaseStore {
  const later = loadedOnce(async () => (await import('./later-store.js')).laterStore(context));
  return {
    takesChanges: true,
    grant: async (request, signal) => {
      const write = await writeGrant(context, request, signal);
      if (write.answer.applied) return { kind: 'granted', grant: write.grant };
      return (await later()).afterGrant(request, write, signal);
    },
    renew: async (lease, expiresAt, change, signal) => {
      const answer = await writeRenewal(context, lease, expiresAt, change, signal);
      return answer.applied ? ended(answer.old) : (await later()).afterRenewal(lease, expiresAt, answer);
    },
    release: async (lease, change, signal) => {
      const answer = await writeEnd(context, lease, change, signal);
      return answer.applied ? ended(answer.old) : (await later()).afterRelease(lease, answer);
    },
    ensureTime: (signal) => ensureStoreTime(context, signal),
    ...callsOf(later, laterOperations, ['list']),
  };
}
