import type { LeaseContext } from '../lease/index.js';
import { ServiceStore } from '../service-client/service-store.js';
import { LambdaTransport, type ServiceTransport } from '../service-client/service-transport.js';
import { type ClientOptions, callTimeoutMs, defaults } from './client-options.js';

/** The way to the service of a client that has one. Loaded with its first request. */
export function connectService(options: ClientOptions, terms: Omit<LeaseContext, 'table' | 'store'>) {
  const { runtime } = terms;
  const { ownerKey = `owner-key-${runtime.randomId()}${runtime.randomId()}` } = options;
  const transport = makeTransport(options);
  return {
    store: new ServiceStore({ ...terms, transport, callTimeoutMs: callTimeoutMs(options), ownerKey }),
    /** Ends a connection of its own. */
    close: () => transport.close?.(),
  };
}

function makeTransport(options: ClientOptions): ServiceTransport {
  const { service, region, endpoint, lambdaClient } = options;
  if (typeof service !== 'string') return service!;
  return new LambdaTransport(service, {
    client: lambdaClient,
    region,
    endpoint,
    requestTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
    maxAttempts: options.maxAttempts ?? defaults.maxAttempts,
  });
}
