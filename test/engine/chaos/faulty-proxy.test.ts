import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../lib/local/index.js';
import { FaultyProxy } from '../../chaos/network/faulty-proxy.js';
import { quickEngines } from '../../support/local/local-engines.js';
import { until } from '../../support/until.js';

const TableName = 'letters';

describe.each(quickEngines)('a proxy in front of %s', (engine) => {
  let dynamo: LocalDynamo;
  let direct: DynamoDBClient;
  let proxy: FaultyProxy;
  let client: DynamoDBClient;
  let letters = 0;

  beforeAll(async () => {
    dynamo = await startDynamo({ engine });
    direct = new DynamoDBClient(dynamo.clientConfig());
    await createLeaseTable(direct, TableName, { ttl: false });
  });
  afterAll(async () => {
    direct.destroy();
    await dynamo.stop();
  });
  beforeEach(async () => {
    const port = Number(new URL(dynamo.endpoint).port);
    proxy = await FaultyProxy.start(() => port);
    const requestHandler = { requestTimeout: 300, throwOnRequestTimeout: true };
    const through = { endpoint: proxy.endpoint, maxAttempts: 1, requestHandler };
    client = new DynamoDBClient({ ...dynamo.clientConfig(), ...through });
    letters += 1;
  });
  afterEach(async () => {
    client.destroy();
    await proxy[Symbol.asyncDispose]();
  });

  const Key = () => ({ name: { S: `letter-${letters}` } });
  const send = () => client.send(new PutItemCommand({ TableName, Item: Key() }));
  const hasArrived = async () =>
    (await direct.send(new GetItemCommand({ TableName, Key: Key(), ConsistentRead: true }))).Item !==
    undefined;

  it('passes everything on', async () => {
    await send();
    await send();
    expect(await hasArrived()).toBe(true);
  });

  it('drops: the request never arrives, not even when all is well again', async () => {
    proxy.become('drop');
    await expect(send()).rejects.toMatchObject({ name: 'TimeoutError' });
    proxy.become('pass');
    await proxy.drained();
    expect(await hasArrived()).toBe(false);
    await send();
    expect(await hasArrived()).toBe(true);
  });

  it('hangs: the request arrives late, after its client has given up', async () => {
    proxy.become('hang');
    await expect(send()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await hasArrived()).toBe(false);
    proxy.become('pass');
    await until('the late request has arrived', hasArrived);
    await proxy.drained();
  });

  it('delays: the same, without waiting for better faultProfile', async () => {
    proxy.become('delay', 500);
    await expect(send()).rejects.toMatchObject({ name: 'TimeoutError' });
    await until('the late request has arrived', hasArrived);
  });

  it('delays by less than the client waits: it only takes longer', async () => {
    proxy.become('delay', 20);
    await send();
    expect(await hasArrived()).toBe(true);
  });

  it('swallows the answer: the request has arrived, and its client does not know', async () => {
    proxy.become('swallow');
    await expect(send()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await hasArrived()).toBe(true);
    proxy.become('pass');
    await send();
  });

  it('resets connections, those that are open and those that come', async () => {
    await send();
    proxy.become('reset');
    await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
    proxy.become('pass');
    await send();
  });

  it('finds the server where it is at the moment', async () => {
    let port = 1;
    await using moving = await FaultyProxy.start(() => port);
    const elsewhere = new DynamoDBClient({
      ...dynamo.clientConfig(),
      endpoint: moving.endpoint,
      maxAttempts: 1,
    });
    await expect(elsewhere.send(new PutItemCommand({ TableName, Item: Key() }))).rejects.toThrow();
    port = Number(new URL(dynamo.endpoint).port);
    await elsewhere.send(new PutItemCommand({ TableName, Item: Key() }));
    elsewhere.destroy();
  });
});
