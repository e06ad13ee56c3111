import { UsageError } from '../errors/index.js';
import type { LeaseContext, LeaseStore } from '../lease/index.js';
import type { ServiceTransport } from '../service-client/service-transport.js';
import type { LeaseTable } from '../table/index.js';
import type { LockClientOptions } from './client-options.js';
import { defaults } from './defaults.js';

/** The way to the service, loaded with the first request: most clients have a table, and need none of it. */
export interface ServiceWay {
  readonly context: LeaseContext;
  /** Ends a connection of its own, if one was opened. */
  readonly close: () => void;
}

/** What leases work with when their client has a service: no table, and who asks for it is told. */
export function serviceWay(
  options: LockClientOptions,
  terms: Omit<LeaseContext, 'table' | 'store'>,
  callTimeoutMs: number,
  ownerKey: string,
): ServiceWay {
  let transport: ServiceTransport | undefined;
  const store = loadedLater(async () => {
    const { ServiceStore } = await import('../service-client/service-store.js');
    transport ??= await makeTransport(options);
    return new ServiceStore({ ...terms, transport, callTimeoutMs, ownerKey });
  });
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

async function makeTransport(options: LockClientOptions): Promise<ServiceTransport> {
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

/** A store of which only the shape is known; a load that failed is tried again by the next request. */
function loadedLater(load: () => Promise<LeaseStore>): LeaseStore {
  let loading: Promise<LeaseStore> | undefined;
  const store = () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    takesChanges: false,
    grant: async (...asked) => (await store()).grant(...asked),
    resume: async (...asked) => (await store()).resume(...asked),
    renew: async (...asked) => (await store()).renew(...asked),
    release: async (...asked) => (await store()).release(...asked),
    complete: async (...asked) => (await store()).complete(...asked),
    break: async (...asked) => (await store()).break(...asked),
    requestRelease: async (...asked) => (await store()).requestRelease(...asked),
    reopen: async (...asked) => (await store()).reopen(...asked),
    read: async (...asked) => (await store()).read(...asked),
    readMany: async (...asked) => (await store()).readMany(...asked),
    async *list(...asked) {
      yield* (await store()).list(...asked);
    },
    ensureTime: async (...asked) => (await store()).ensureTime(...asked),
  };
}
