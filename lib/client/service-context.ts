import { UsageError } from '../errors/index.js';
import type { LeaseContext, LeaseStore } from '../lease/index.js';
import { callsOf, loadedOnce } from '../runtime/index.js';
import type { ItemTable } from '../table/index.js';
import type { ClientOptions } from './client-options.js';

/** The way to the service, loaded with the first request: most clients have a table, and need none of it. */
export interface ServiceWay {
  readonly context: LeaseContext;
  /** Ends a connection of its own, if one was opened. */
  readonly close: () => void;
}

/** What leases work with when their client has a service: no table, and who asks for it is told. */
export function serviceWay(options: ClientOptions, terms: Omit<LeaseContext, 'table' | 'store'>): ServiceWay {
  let close = () => {};
  const later = loadedOnce(async (): Promise<LeaseStore> => {
    const { connectService } = await import('./service-connection.js');
    const connection = connectService(options, terms);
    close = connection.close;
    return connection.store;
  });
  const store: LeaseStore = {
    takesChanges: false,
    ...callsOf(later, ['ensureTime', 'grant', 'renew', 'release', 'read', 'readMany', 'complete', 'resume']),
    ...callsOf(later, ['break', 'requestRelease', 'reopen', 'readLine', 'joinLine', 'leaveLine']),
    async *list(...asked) {
      yield* (await later()).list(...asked);
    },
  };
  const context = {
    ...terms,
    store,
    get table(): ItemTable {
      throw new UsageError(
        'This needs a client with a table: new LockClient({ table }), not one with a service',
      );
    },
  };
  return { context, close: () => close() };
}
