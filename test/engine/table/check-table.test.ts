import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../lib/local/index.js';
import { checkTable } from '../../../lib/table/index.js';
import { accessDenied, cannedServer, errorAnswer } from '../../support/canned-server.js';
import { engines } from '../../support/engines.js';

const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' }) as const;
const partition = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' }) as const;
const sort = (AttributeName: string) => ({ AttributeName, KeyType: 'RANGE' }) as const;

describe.each(engines)('the check of a table on %s', (engine) => {
  let dynamo: LocalDynamo;
  let client: DynamoDBClient;

  beforeAll(async () => {
    dynamo = await startDynamo({ engine });
    client = new DynamoDBClient(dynamo.clientConfig());
  });

  afterAll(async () => {
    client?.destroy();
    await dynamo?.stop();
  });

  it('accepts the table of the protocol, where Time to Live can be turned on', async () => {
    await createLeaseTable(client, 'right');
    const check = checkTable(client, 'right');
    if (dynamo.capabilities.timeToLive) expect(await check).toEqual({ timeToLive: 'enabled', remarks: [] });
    else
      await expect(check).rejects.toMatchObject({ message: expect.stringContaining('Time to Live is off') });
  });

  it('says that a table is not there, and how to make it', async () => {
    await expect(checkTable(client, 'not-there')).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/"not-there" does not exist.*leasehold table create/),
      cause: { name: 'ResourceNotFoundException' },
    });
  });

  it('names a wrong partition key, a sort key and a missing index, all at once', async () => {
    await client.send(
      new CreateTableCommand({
        TableName: 'wrong',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [text('id'), text('at')],
        KeySchema: [partition('id'), sort('at')],
      }),
    );
    const refusal = await checkTable(client, 'wrong').catch((error) => error);
    expect(refusal.name).toBe('UsageError');
    for (const part of [
      'partition key must be "name", it is "id"',
      'no sort key, it has "at"',
      '"byGroup"',
    ]) {
      expect(refusal.message).toContain(part);
    }
  });

  it('names a key that is a number, and an index with other keys', async () => {
    await client.send(
      new CreateTableCommand({
        TableName: 'numbers',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'N' }, text('group')],
        KeySchema: [partition('name')],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byGroup',
            KeySchema: [partition('group')],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    );
    const refusal = await checkTable(client, 'numbers').catch((error) => error);
    expect(refusal.message).toContain('key "name" must be a String (S), it is N');
    expect(refusal.message).toContain('must have the keys "group" and "name", it has "group"');
  });

  it('finds Time to Live that is off, or on for another attribute', async ({ skip }) => {
    if (!dynamo.capabilities.timeToLive) skip('the engine has no Time to Live');
    await createLeaseTable(client, 'forever', { ttl: false });
    await expect(checkTable(client, 'forever')).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('Time to Live is off'),
    });
    const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: 'forever', TimeToLiveSpecification }));
    await expect(checkTable(client, 'forever')).rejects.toMatchObject({
      message: expect.stringContaining('it is for "expiresAt"'),
    });
  });

  it('passes on that DynamoDB can’t be asked, as a StoreError', async () => {
    const signal = AbortSignal.abort();
    await expect(checkTable(client, 'right', { signal })).rejects.toMatchObject({ name: 'StoreError' });
  });
});

describe('the check of a table that can’t be asked about everything', () => {
  const Table = {
    KeySchema: [partition('name')],
    AttributeDefinitions: [text('name'), text('group')],
    GlobalSecondaryIndexes: [{ IndexName: 'byGroup', KeySchema: [partition('group'), sort('name')] }],
  };

  it.each(['UnknownOperationException', 'AccessDeniedException'])(
    'says that it can’t tell about Time to Live after %s',
    async (name) => {
      await using server = await cannedServer((operation) =>
        operation === 'DescribeTable' ? { status: 200, body: { Table } } : errorAnswer(name, 'no'),
      );
      const check = await checkTable(server.client, 'leases');
      expect(check).toEqual({
        timeToLive: 'unknown',
        remarks: [expect.stringMatching(new RegExp(`Can't tell.*"ttl".*${name}`))],
      });
    },
  );

  it('refuses eventually consistent replicas', async () => {
    const Replicas = [{ RegionName: 'eu-west-1' }];
    await using server = await cannedServer(() => ({ status: 200, body: { Table: { ...Table, Replicas } } }));
    await expect(checkTable(server.client, 'leases')).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/replicas \(eu-west-1\).*two Regions would grant the same lock at once/),
    });
  });

  it('asks a strongly consistent table with replicas for no Time to Live', async () => {
    const replicated = {
      ...Table,
      Replicas: [{ RegionName: 'eu-west-1' }],
      MultiRegionConsistency: 'STRONG',
    };
    await using server = await cannedServer(() => ({ status: 200, body: { Table: replicated } }));
    expect(await checkTable(server.client, 'leases')).toMatchObject({ timeToLive: 'none' });
    expect(server.asked).toEqual(['DescribeTable']);
  });

  it('fails with the original error where the table may not be described', async () => {
    await using server = await cannedServer(() => accessDenied);
    await expect(checkTable(server.client, 'leases')).rejects.toMatchObject({
      name: 'StoreError',
      retryable: false,
      cause: { name: 'AccessDeniedException' },
    });
  });
});
