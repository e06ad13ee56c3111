import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { createLeaseTable } from '../../../lib/local/index.js';
import { leaseTable, setTable } from '../terms.js';

/** The table of leases, and the one with the sets. */
export async function makeTables(client: DynamoDBClient): Promise<void> {
  await createLeaseTable(client, leaseTable, { ttl: false });
  const TableName = setTable;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 2 }, { TableName });
}
