import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  paginateScan,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { parseSliceId } from '../../lib/scan/index.js';

/** Makes the table in which the workers write a fenced row for each slice. */
export async function createLedger(client: DynamoDBClient, table: string): Promise<void> {
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
export async function dropTables(client: DynamoDBClient, tables: readonly string[]): Promise<void> {
  for (const TableName of tables) await client.send(new DeleteTableCommand({ TableName })).catch(() => {});
}
