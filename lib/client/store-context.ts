import { UsageError } from '../errors/index.js';
import { type LeaseContext, type TableContext, TableStore } from '../lease/index.js';
import { ServiceStore } from '../service-client/service-store.js';
import { LambdaTransport, type ServiceTransport } from '../service-client/service-transport.js';
import type { LeaseTable } from '../table/index.js';
import type { LockClientOptions } from './client-options.js';
import { defaults } from './defaults.js';

/** What leases work with when their client has a table. */
export function tableContext(context: TableContext & Pick<LeaseContext, 'closed'>): LeaseContext {
  return { ...context, store: new TableStore(context) };
}

/** What leases work with when their client has a service: no table, and who asks for it is told. */
export function serviceContext(
  options: Omit<LeaseContext, 'table' | 'store'> & {
    readonly transport: ServiceTransport;
    readonly callTimeoutMs: number;
    readonly ownerKey: string;
  },
): LeaseContext {
  const { clock, runtime, skewMs, retentionMs, closed } = options;
  return {
    clock,
    runtime,
    skewMs,
    retentionMs,
    ...(closed && { closed }),
    store: new ServiceStore(options),
    get table(): LeaseTable {
      throw new UsageError(
        'This needs a client with a table: new LockClient({ table }), not one with a service',
      );
    },
  };
}

/** The way to the service, if the client has one. */
export function makeTransport(options: LockClientOptions): ServiceTransport | undefined {
  const { service, region, endpoint, lambdaClient } = options;
  if (typeof service !== 'string') return service;
  return new LambdaTransport(service, {
    client: lambdaClient,
    region,
    endpoint,
    requestTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
    maxAttempts: options.maxAttempts ?? defaults.maxAttempts,
  });
}
