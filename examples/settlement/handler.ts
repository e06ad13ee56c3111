import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { guardPut } from 'leasehold/fence';
import { withLockedHandler } from 'leasehold/lambda';

const settlements = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** A batch to settle. */
export interface Batch {
  readonly batch: string;
  readonly amounts: readonly number[];
}

/**
 * Settles a batch. One invocation at a time works on a batch; whoever comes meanwhile is told who does. A worker that
 * slept past its lease writes too late: the table has seen a higher token and refuses it with a `StaleTokenError`.
 */
export const handler = withLockedHandler(
  ({ batch }: Batch) => `settlement/${batch}`,
  async ({ batch, amounts }: Batch, _context, lease) => {
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    lease.throwIfLost();
    await settlements.send(
      guardPut(lease, {
        TableName: process.env.SETTLEMENT_TABLE ?? 'settlements',
        Item: { id: batch, total },
      }),
    );
    return { batch, total };
  },
  {
    locks: { table: process.env.LEASE_TABLE ?? 'leases' },
    waitMs: 2_000,
    whenHeld: (error) => ({ heldBy: error.holder?.owner ?? 'somebody' }),
  },
);
