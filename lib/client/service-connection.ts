import type { LeaseContext } from '../lease/index.js';
import { ServiceStore } from '../service-client/service-store.js';
import {
  LambdaTransport,
  type SdkConfig,
  type ServiceTransport,
} from '../service-client/service-transport.js';
import { type ClientOptions, callTimeoutMs } from './client-options.js';

/**
 * The way to the service of a client that has one. Loaded with its first request.
 *
 * @param config for a client of the AWS SDK of its own
 */
export function connectService(
  options: ClientOptions,
  terms: Omit<LeaseContext, 'table' | 'store'>,
  config: SdkConfig,
) {
  const { runtime } = terms;
  const { ownerKey = `owner-key-${runtime.randomId()}${runtime.randomId()}` } = options;
  const transport = makeTransport(options, config);
  return {
    store: new ServiceStore({ ...terms, transport, callTimeoutMs: callTimeoutMs(options), ownerKey }),
    /** Ends a connection of its own. */
    close: () => transport.close?.(),
  };
}

function makeTransport({ service, lambdaClient }: ClientOptions, config: SdkConfig): ServiceTransport {
  if (typeof service !== 'string') return service!;
  return new LambdaTransport(service, lambdaClient, config);
}
