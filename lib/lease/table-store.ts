import { callsOf, loadedOnce } from '../runtime/index.js';
import { requestGrant } from './acquire-request.js';
import { requestRelease, requestRenewal } from './holder-requests.js';
import { ensureStoreTime, type TableContext } from './lease-context.js';
import { parseLeaseItem } from './lease-item.js';
import type { LeaseStore } from './lease-store.js';

/**
 * Leases straight in a table: each operation is its one conditional write or read, by the client's own store clock. What
 * a plain lock does not need is loaded with the first call.
 */
export function tableStore(context: TableContext): LeaseStore {
  const later = loadedOnce(async () => (await import('./later-store.js')).laterStore(context));
  return {
    takesChanges: true,
    grant: (request, signal) => requestGrant(context, request, signal),
    renew: (lease, expiresAt, change, signal) => requestRenewal(context, lease, expiresAt, change, signal),
    release: (lease, change, signal) => requestRelease(context, lease, change, signal),
    read: async (name, _leaseId, signal) => {
      const stored = await context.table.get(name, signal);
      return stored && parseLeaseItem(name, stored);
    },
    ensureTime: (signal) => ensureStoreTime(context, signal),
    ...callsOf(later, ['resume', 'complete', 'break', 'requestRelease', 'reopen', 'readMany']),
    ...callsOf(later, ['readLine', 'joinLine', 'leaveLine']),
    async *list(...asked) {
      yield* (await later()).list(...asked);
    },
  };
}
