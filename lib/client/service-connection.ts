import type { LeaseContext, LeaseStore } from '../lease/index.js';
import { ServiceStore } from '../service-client/service-store.js';
import {
  LambdaTransport,
  type SdkConfig,
  type ServiceTransport,
} from '../service-client/service-transport.js';
import type { ClientHost } from './client-host.js';
import { type ClientOptions, callTimeoutMs } from './client-options.js';

/**
 * The way to the service of a client that has one. Loaded with its first request.
 *
 * @param closers gets what ends a connection of its own
 * @param config for a client of the AWS SDK of its own
 */
export function connectService(
  options: ClientOptions,
  terms: Omit<LeaseContext, 'table' | 'store'>,
  closers: ClientHost['closers'],
  config: SdkConfig,
): LeaseStore {
  const { runtime } = terms;
  const { ownerKey = `owner-key-${runtime.randomId()}${runtime.randomId()}` } = options;
  const transport = makeTransport(options, config);
  closers.push(() => transport.close?.());
  return new ServiceStore({ ...terms, transport, callTimeoutMs: callTimeoutMs(options), ownerKey });
}

function makeTransport({ service, lambdaClient }: ClientOptions, config: SdkConfig): ServiceTransport {
  if (typeof service !== 'string') return service!;
  return new LambdaTransport(service, lambdaClient, config);
}
