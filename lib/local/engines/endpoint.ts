import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EngineUnavailableError } from './engine-unavailable-error.js';
import { type LocalDynamo, localClientConfig, localDynamo } from './local-dynamo.js';
import { probeCapabilities } from './probe-capabilities.js';

/**
 * Whether the environment names an endpoint.
 *
 * @returns `undefined` when it does, else the reason.
 */
export function endpointMissing(): string | undefined {
  const endpoint = process.env.LEASEHOLD_DYNAMODB_ENDPOINT;
  if (!endpoint) return 'LEASEHOLD_DYNAMODB_ENDPOINT is not set';
  return URL.canParse(endpoint) ? undefined : 'LEASEHOLD_DYNAMODB_ENDPOINT is not a URL';
}

/**
 * Uses an engine that somebody else runs, named by `LEASEHOLD_DYNAMODB_ENDPOINT`. Stopping leaves it alone.
 *
 * @throws EngineUnavailableError when the variable is not set or nothing answers there.
 */
export async function startEndpoint(limit: AbortSignal): Promise<LocalDynamo> {
  const why = endpointMissing();
  if (why) throw new EngineUnavailableError('endpoint', why);
  const endpoint = (process.env.LEASEHOLD_DYNAMODB_ENDPOINT ?? '').replace(/\/+$/, '');
  const client = new DynamoDBClient(localClientConfig(endpoint));
  try {
    const capabilities = await probeCapabilities(client, limit);
    return localDynamo({ engine: 'endpoint', endpoint, capabilities, stop: async () => {} });
  } catch (cause) {
    throw new EngineUnavailableError('endpoint', `${endpoint} does not answer as DynamoDB does`, { cause });
  } finally {
    client.destroy();
  }
}
