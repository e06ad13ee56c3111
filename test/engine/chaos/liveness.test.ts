import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import { createLeaseTable, startDynamo } from '../../../lib/local/index.js';
import { liveness } from '../../chaos/check/liveness.js';
import { leaseTable, leaseTerms } from '../../chaos/terms.js';

it('I6 the check of liveness finds the one lock that does not come free, and shows who has it', async () => {
  await using dynamo = await startDynamo({ allowDocker: false });
  const client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, leaseTable, { ttl: false });
  await using holder = new LockClient({ table: leaseTable, client, owner: 'stubborn', ...leaseTerms });
  await using driver = new LockClient({ table: leaseTable, client, ...leaseTerms });
  const lease = await holder.acquire('hold/0');

  const { locks, violations } = await liveness(driver, ['hold/0', 'hold/1']);

  expect(locks).toBe(2);
  expect(violations).toMatchObject([
    { kind: 'liveness', what: expect.stringContaining('"hold/0"'), evidence: [{ owner: 'stubborn' }] },
  ]);
  await lease.release();
  client.destroy();
});
