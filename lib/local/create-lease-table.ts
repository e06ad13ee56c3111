import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** How {@link createLeaseTable} makes the table. */
export interface CreateLeaseTableOptions {
  /** Enable Time to Live on `ttl`. Default `true`. */
  readonly ttl?: boolean;
  /** Bound for the table to become active. Default 60 seconds. */
  readonly waitMs?: number;
}

/** What {@link createLeaseTable} did. */
export interface CreatedLeaseTable {
  /** `false` when the table was there already. Its schema is not compared. */
  readonly created: boolean;
  /** `unsupported`: the engine has no Time to Live; `skipped`: not asked for. */
  readonly timeToLive: 'enabled' | 'unsupported' | 'skipped';
}

/**
 * Makes the lease table of the protocol unless it is there: partition key `name`, on demand, index `byGroup`
 * on `group` and `name` with keys only, Time to Live on `ttl`. May run in several processes at once.
 *
 * @throws whatever the SDK throws; `TimeoutError` when the table does not become active in time.
 */
export async function createLeaseTable(
  client: DynamoDBClient,
  tableName: string,
  options: CreateLeaseTableOptions = {},
): Promise<CreatedLeaseTable> {
  const created = await createTable(client, tableName);
  const maxWaitTime = Math.max(1, (options.waitMs ?? 60_000) / 1_000);
  await waitUntilTableExists({ client, maxWaitTime, minDelay: 1, maxDelay: 2 }, { TableName: tableName });
  const ttl = options.ttl ?? true;
  return { created, timeToLive: ttl ? await enableTimeToLive(client, tableName) : 'skipped' };
}

async function createTable(client: DynamoDBClient, tableName: string): Promise<boolean> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'name', AttributeType: 'S' },
          { AttributeName: 'group', AttributeType: 'S' },
        ],
        KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byGroup',
            KeySchema: [
              { AttributeName: 'group', KeyType: 'HASH' },
              { AttributeName: 'name', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    );
    return true;
  } catch (error) {
    if ((error as Error).name === 'ResourceInUseException') return false;
    throw error;
  }
}

async function enableTimeToLive(
  client: DynamoDBClient,
  tableName: string,
): Promise<'enabled' | 'unsupported'> {
  try {
    // Asked first, as enabling what is enabled is an error, and its name is that of every other bad request.
    if (await hasTimeToLive(client, tableName)) return 'enabled';
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: tableName,
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      }),
    );
    return 'enabled';
  } catch (error) {
    const { name } = error as Error;
    if (name === 'UnknownOperationException') return 'unsupported';
    // Somebody else enabled it between the two requests.
    if (name === 'ValidationException' && (await hasTimeToLive(client, tableName))) return 'enabled';
    throw error;
  }
}

async function hasTimeToLive(client: DynamoDBClient, tableName: string): Promise<boolean> {
  const { TimeToLiveDescription: now } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: tableName }),
  );
  return now?.TimeToLiveStatus === 'ENABLED' || now?.TimeToLiveStatus === 'ENABLING';
}
