import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  type EngineCapabilities,
  EngineUnavailableError,
  type LocalDynamo,
  localClientConfig,
  localDynamo,
} from './local-dynamo.js';

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

/**
 * Finds out what an unknown engine can do, on a table of its own that it removes again.
 *
 * @param client client of that engine.
 * @throws whatever the SDK throws when the engine can't be reached or refuses to make a table.
 */
export async function probeCapabilities(
  client: DynamoDBClient,
  limit: AbortSignal,
): Promise<EngineCapabilities> {
  const TableName = `leasehold-probe-${randomUUID()}`;
  const options = { abortSignal: limit };
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
    }),
    options,
  );
  try {
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, abortSignal: limit }, { TableName });
    const put = {
      TableName,
      Item: { name: { S: 'probe' } },
      ConditionExpression: 'attribute_not_exists(#name)',
      ExpressionAttributeNames: { '#name': 'name' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    await client.send(new PutItemCommand(put), options);
    const refusal = await client.send(new PutItemCommand(put), options).catch((error: unknown) => error);
    const transact = new TransactWriteItemsCommand({
      TransactItems: [{ Put: { TableName, Item: { name: { S: 'transaction' } } } }],
    });
    const timeToLive = {
      TableName,
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    };
    return {
      transactions: await knows(client.send(transact, options)),
      refusedItem: Boolean((refusal as { Item?: unknown }).Item),
      timeToLive: await knows(client.send(new UpdateTimeToLiveCommand(timeToLive), options)),
    };
  } finally {
    await client.send(new DeleteTableCommand({ TableName }), options).catch(() => {});
  }
}

async function knows(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    const { name } = error as Error;
    if (name === 'UnknownOperationException' || name === 'NotImplemented') return false;
    throw error;
  }
}
