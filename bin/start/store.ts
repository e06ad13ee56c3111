import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  paginateScan,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { LockClient } from '../../lib/client/index.js';
import { createLeaseTable, type LocalDynamo } from '../../lib/local/index.js';
import { parseSliceId } from '../../lib/scan/index.js';

/** A run's tables, and clients for them. */
export interface Store extends AsyncDisposable {
  readonly client: DynamoDBClient;
  readonly locks: LockClient;
  readonly leases: string;
  readonly ledger: string;
  /** What the functions need in their environment to use the same engine. */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes the tables, under names of their own: an engine that was there before may have others. */
export async function openStore(dynamo: LocalDynamo): Promise<Store> {
  const suffix = randomUUID().slice(0, 8);
  const leases = `leasehold-start-leases-${suffix}`;
  const ledger = `leasehold-start-ledger-${suffix}`;
  const config = dynamo.clientConfig();
  const client = new DynamoDBClient(config);
  const locks = new LockClient({ table: leases, client });
  const close = async () => {
    if (dynamo.engine === 'endpoint') await dropTables(client, [leases, ledger]);
    await locks.close();
    client.destroy();
  };
  try {
    await createLeaseTable(client, leases);
    await createLedger(client, ledger);
  } catch (error) {
    await close();
    throw error;
  }
  const env = {
    LEASEHOLD_TABLE: leases,
    LEASEHOLD_LEDGER_TABLE: ledger,
    LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint,
    // Some engines keep tables apart by region and key.
    AWS_REGION: String(config.region),
  };
  return { client, locks, leases, ledger, env, [Symbol.asyncDispose]: close };
}

/** Makes the table in which the workers write a fenced row for each slice. */
async function createLedger(client: DynamoDBClient, table: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'slice', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'slice', KeyType: 'HASH' }],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 2 }, { TableName: table });
}

/** Reads all rows: the token of the last write, by the slice's id. */
export async function readLedger(
  client: DynamoDBClient,
  table: string,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    signal.throwIfAborted();
    for (const { slice, fence } of page.Items ?? []) {
      rows.set(parseSliceId(slice?.S ?? ''), Number(fence?.N));
    }
  }
  return rows;
}

/** Removes tables from an engine that lives on after this run. */
async function dropTables(client: DynamoDBClient, tables: readonly string[]): Promise<void> {
  for (const TableName of tables) await client.send(new DeleteTableCommand({ TableName })).catch(() => {});
}
