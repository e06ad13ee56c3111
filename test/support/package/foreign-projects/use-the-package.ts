import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Lease, LockClient, LockHeldError } from 'leasehold';
import { guardPut } from 'leasehold/fence';
import { createLeaseTable, startDynamo } from 'leasehold/local';

/** A lock is taken, held against another, and fences a write, on an engine. */
export async function useThePackage(): Promise<string> {
  const engine = await startDynamo({ engine: 'dynalite' });
  try {
    const client = new DynamoDBClient(engine.clientConfig());
    await createLeaseTable(client, 'leases');
    const locks = new LockClient({ table: 'leases', client });
    const ledger = DynamoDBDocumentClient.from(client);
    return await locks.withLock('job', async (lease: Lease) => {
      const refused = await locks.acquire('job').catch((error: unknown) => error);
      await ledger.send(guardPut(lease, { TableName: 'leases', Item: { name: 'data' } }));
      return `${refused instanceof LockHeldError} ${lease.isHeld}`;
    });
  } finally {
    await engine.stop();
  }
}
