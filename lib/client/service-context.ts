import { UsageError } from '../errors/index.js';
import type { LeaseContext, LeaseStore } from '../lease/index.js';
import { callsOf, loadedOnce } from '../runtime/index.js';
import type { ServiceTransport } from '../service-client/service-transport.js';
import type { LeaseTable } from '../table/index.js';
import type { ClientOptions } from './client-options.js';
import { defaults } from './defaults.js';

/** The way to the service, loaded with the first request: most clients have a table, and need none of it. */
export interface ServiceWay {
  readonly context: LeaseContext;
  /** Ends a connection of its own, if one was opened. */
  readonly close: () => void;
}

/** What leases work with when their client has a service: no table, and who asks for it is told. */
export function serviceWay(
  options: ClientOptions,
  terms: Omit<LeaseContext, 'table' | 'store'>,
  callTimeoutMs: number,
  ownerKey: string,
): ServiceWay {
  let transport: ServiceTransport | undefined;
  const later = loadedOnce(async (): Promise<LeaseStore> => {
    const { ServiceStore } = await import('../service-client/service-store.js');
    transport ??= await makeTransport(options);
    return new ServiceStore({ ...terms, transport, callTimeoutMs, ownerKey });
  });
  const store: LeaseStore = {
    takesChanges: false,
    ...callsOf(later, [
      'grant',
      'resume',
      'renew',
      'release',
      'complete',
      'break',
      'requestRelease',
      'reopen',
    ]),
    ...callsOf(later, ['read', 'readMany', 'ensureTime']),
    async *list(...asked) {
      yield* (await later()).list(...asked);
    },
  };
  const context = {
    ...terms,
    store,
    get table(): LeaseTable {
      throw new UsageError(
        'This needs a client with a table: new LockClient({ table }), not one with a service',
      );
    },
  };
  return { context, close: () => transport?.close?.() };
}

async function makeTransport(options: ClientOptions): Promise<ServiceTransport> {
  const { service, region, endpoint, lambdaClient } = options;
  if (typeof service !== 'string') return service!;
  const { LambdaTransport } = await import('../service-client/service-transport.js');
  return new LambdaTransport(service, {
    client: lambdaClient,
    region,
    endpoint,
    requestTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
    maxAttempts: options.maxAttempts ?? defaults.maxAttempts,
  });
}
