import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { LockClient, type LockClientOptions } from '../../lib/index.js';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../lib/local/index.js';

/** The table of the bench. */
export const table = 'leases';

/** A local engine with a table of leases. */
export async function startStore(): Promise<LocalDynamo> {
  // What a client of the library's own finds, and what stands in the local settings.
  process.env.AWS_ACCESS_KEY_ID = 'local';
  process.env.AWS_SECRET_ACCESS_KEY = 'local';
  const dynamo = await startDynamo({ allowDocker: false });
  const client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, table);
  client.destroy();
  return dynamo;
}

/** The SDK's client with its defaults, at this address: what requests by hand go through. */
export function plainClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    ...config,
    ...place(endpoint),
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

/** A client of locks with an SDK client of its own, as most programs have it. */
export function ownLocks(endpoint: string, options: Partial<LockClientOptions> = {}): LockClient {
  return new LockClient({ table, ...place(endpoint), ...options });
}

const place = (endpoint: string) => ({ endpoint, region: 'us-east-1' }) satisfies DynamoDBClientConfig;
