import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLeaseTable, type LocalDynamo, startDynamo, sweepExpired } from '../../../lib/local/index.js';
import { engines } from '../../support/local/local-engines.js';

describe.each(engines)('the lease table on %s', (engine) => {
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

  it('has the schema of the protocol', async () => {
    expect(await createLeaseTable(client, 'schema')).toMatchObject({ created: true });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'schema' }));
    expect(Table?.KeySchema).toEqual([{ AttributeName: 'name', KeyType: 'HASH' }]);
    expect(Table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST');
    const [index, ...others] = Table?.GlobalSecondaryIndexes ?? [];
    expect(others).toEqual([]);
    expect(index).toMatchObject({
      IndexName: 'byGroup',
      Projection: { ProjectionType: 'KEYS_ONLY' },
      KeySchema: [
        { AttributeName: 'group', KeyType: 'HASH' },
        { AttributeName: 'name', KeyType: 'RANGE' },
      ],
    });
  });

  it('may be created again, and by many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => createLeaseTable(client, 'again')));
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(await createLeaseTable(client, 'again')).toMatchObject({ created: false });
  });

  it('has Time to Live where the engine knows it, unless it is not wanted', async () => {
    const { timeToLive } = await createLeaseTable(client, 'living');
    expect(timeToLive).toBe(dynamo.capabilities.timeToLive ? 'enabled' : 'unsupported');
    expect(await createLeaseTable(client, 'unwanted', { ttl: false })).toMatchObject({
      timeToLive: 'skipped',
    });
    if (!dynamo.capabilities.timeToLive) return;
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: 'living' }),
    );
    expect(TimeToLiveDescription).toMatchObject({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' });
  });

  it('is swept of what lies before the moment given, and of nothing else', async () => {
    await createLeaseTable(client, 'swept');
    const put = (name: string, ttl?: { N: string } | { S: string }) =>
      client.send(
        new PutItemCommand({ TableName: 'swept', Item: { name: { S: name }, ...(ttl && { ttl }) } }),
      );
    await put('before', { N: '999' });
    await put('at', { N: '1000' });
    await put('after', { N: '1001' });
    await put('text', { S: '1' });
    await put('none');
    expect(await sweepExpired(client, { table: 'swept', nowMs: 1_000_000 })).toEqual(['before']);
    const documents = DynamoDBDocumentClient.from(client);
    expect(await sweepExpired(documents, { table: 'swept', nowMs: 1_000_001 })).toEqual(['at']);
    for (const name of ['after', 'text', 'none']) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: 'swept', Key: { name: { S: name } } }),
      );
      expect(Item?.name?.S).toBe(name);
    }
  });

  it('is swept over all its pages', async () => {
    await createLeaseTable(client, 'pages');
    const padding = { S: 'x'.repeat(300_000) };
    for (let i = 0; i < 8; i++) {
      const Item = { name: { S: `item-${i}` }, ttl: { N: '1' }, padding };
      await client.send(new PutItemCommand({ TableName: 'pages', Item }));
    }
    const names = await sweepExpired(client, { table: 'pages', nowMs: 2_000 });
    expect(names.sort()).toEqual(Array.from({ length: 8 }, (_, i) => `item-${i}`));
  });
});
