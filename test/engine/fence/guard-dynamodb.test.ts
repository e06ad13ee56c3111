import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  guardDelete,
  guardPut,
  guardTombstone,
  guardTransaction,
  guardUpdate,
  heldCheck,
} from '../../../lib/fence/index.js';
import { LockClient } from '../../../lib/index.js';
import {
  availableEngines,
  createLeaseTable,
  type LocalDynamo,
  startDynamo,
} from '../../../lib/local/index.js';
import { madeTable } from '../../support/made-table.js';

const { available, missing } = await availableEngines();
for (const { engine, why } of missing) it.skip(`guards on ${engine}: not run, ${why}`, () => {});

describe.each(available)('guards for DynamoDB data on %s', (engine) => {
  let dynamo: LocalDynamo;
  let client: DynamoDBClient;
  let ledger: DynamoDBDocumentClient;
  let locks: LockClient;
  const TableName = `ledger-${process.pid}-${engine}`;
  const leases = `leases-${process.pid}-${engine}`;

  beforeAll(async () => {
    dynamo = await startDynamo({ engine });
    client = new DynamoDBClient(dynamo.clientConfig());
    ledger = DynamoDBDocumentClient.from(client);
    await createLeaseTable(client, leases);
    await madeTable(client, TableName, 'id');
    locks = new LockClient({ table: leases, client });
  });
  afterAll(async () => {
    await locks?.close();
    client?.destroy();
    await dynamo?.stop();
  });

  const stored = async (id: string) =>
    (await ledger.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item;
  const older = { name: 'settlement', token: 7, leaseId: 'old' };
  const newer = { name: 'settlement', token: 8, leaseId: 'new' };
  /** What the refusal tells of the newer token; an engine without the refused item can't. */
  const told = () => (dynamo.capabilities.refusedItem ? 8 : undefined);

  it('I3, C38: a Put under an older token is refused with both tokens, and nothing is written', async () => {
    await ledger.send(guardPut(newer, { TableName, Item: { id: 'put', total: 2 } }));
    const stale = ledger.send(guardPut(older, { TableName, Item: { id: 'put', total: 1 } }));
    await expect(stale).rejects.toMatchObject({
      ...{ name: 'StaleTokenError', token: 7, currentToken: told() },
      cause: { name: 'ConditionalCheckFailedException' },
    });
    expect(await stored('put')).toEqual({ id: 'put', total: 2, fence: 8 });
  });

  it('I3, C38: an Update under an older token is refused; the same and a newer one are not', async () => {
    const add = (lease: typeof older) =>
      guardUpdate(lease, {
        TableName,
        Key: { id: 'update' },
        UpdateExpression: 'SET #total = :total REMOVE #gone',
        ExpressionAttributeNames: { '#total': 'total', '#gone': 'gone' },
        ExpressionAttributeValues: { ':total': lease.token },
      });
    await ledger.send(add(older));
    await ledger.send(add(older));
    await ledger.send(add(newer));
    await expect(ledger.send(add(older))).rejects.toMatchObject({ name: 'StaleTokenError' });
    expect(await stored('update')).toEqual({ id: 'update', total: 8, fence: 8 });
  });

  it.each([
    ['nothing', undefined],
    ['only a REMOVE', 'REMOVE #gone'],
    ['a REMOVE before the SET', 'REMOVE #gone SET #total = :total'],
    ['an ADD', 'ADD #total :total'],
  ])('an update expression with %s gets the fence as well', async (what, UpdateExpression) => {
    const id = `expression ${what}`;
    const update = guardUpdate(newer, {
      TableName,
      Key: { id },
      UpdateExpression,
      ...(UpdateExpression && {
        ExpressionAttributeNames: Object.fromEntries(
          Object.entries({ '#total': 'total', '#gone': 'gone' }).filter(([key]) =>
            UpdateExpression.includes(key),
          ),
        ),
      }),
      ...(UpdateExpression?.includes(':total') && { ExpressionAttributeValues: { ':total': 3 } }),
    });
    await ledger.send(update);
    expect(await stored(id)).toMatchObject({ fence: 8 });
  });

  it('I3, C38: a Delete under an older token is refused', async () => {
    await ledger.send(guardPut(newer, { TableName, Item: { id: 'delete' } }));
    const stale = ledger.send(guardDelete(older, { TableName, Key: { id: 'delete' } }));
    await expect(stale).rejects.toMatchObject({ name: 'StaleTokenError' });
    expect(await stored('delete')).toBeDefined();
    await ledger.send(guardDelete(newer, { TableName, Key: { id: 'delete' } }));
    expect(await stored('delete')).toBeUndefined();
  });

  it('I3: after a tombstone an older Put stays refused', async () => {
    await ledger.send(guardTombstone(newer, { TableName, Key: { id: 'tombstone' } }));
    const stale = ledger.send(guardPut(older, { TableName, Item: { id: 'tombstone', total: 1 } }));
    await expect(stale).rejects.toMatchObject({ name: 'StaleTokenError' });
    expect(await stored('tombstone')).toEqual({ id: 'tombstone', fence: 8 });
  });

  it("a condition of the caller's own keeps its own error", async () => {
    await ledger.send(guardPut(older, { TableName, Item: { id: 'own' } }));
    const refused = ledger.send(
      guardPut(newer, { TableName, Item: { id: 'own' }, ConditionExpression: 'attribute_not_exists(id)' }),
    );
    await expect(refused).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
  });

  it.each([
    '(attribute_not_exists(id))',
    '(attribute_not_exists(id) OR paid < :limit)',
    '(attribute_not_exists(id)) OR (paid < :limit)',
    'attribute_not_exists(id) OR paid < :limit',
    ' (attribute_not_exists(id) AND attribute_not_exists(paid)) ',
  ])('D20 a condition %j of the caller’s own goes through, and so does what it refuses', async (own) => {
    const id = `parentheses ${own}`;
    const put = (lease: typeof older, paid: number) =>
      guardPut(lease, {
        TableName,
        Item: { id, paid },
        ConditionExpression: own,
        ...(own.includes(':limit') && { ExpressionAttributeValues: { ':limit': 5 } }),
      });
    await ledger.send(put(older, 9));
    const refused = ledger.send(put(newer, 10));
    await expect(refused).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await stored(id)).toEqual({ id, paid: 9, fence: 7 });
  });

  it('D38 a stored attribute of that name which is no token: told, and nothing is written', async () => {
    await ledger.send(new PutCommand({ TableName, Item: { id: 'own fence', fence: 'barbed wire' } }));
    const update = guardUpdate(newer, { TableName, Key: { id: 'own fence' } });
    const refused = dynamo.capabilities.refusedItem
      ? { name: 'UsageError', message: expect.stringContaining('an attribute "fence" of its own') }
      : { name: 'StaleTokenError' };
    await expect(ledger.send(update)).rejects.toMatchObject(refused);
    expect(await stored('own fence')).toEqual({ id: 'own fence', fence: 'barbed wire' });
  });

  it('an item written before there was a guard is taken over by the first token', async () => {
    await ledger.send(new PutCommand({ TableName, Item: { id: 'before' } }));
    await ledger.send(guardPut(older, { TableName, Item: { id: 'before' } }));
    expect(await stored('before')).toEqual({ id: 'before', fence: 7 });
  });

  it('another attribute can hold the fence', async () => {
    const options = { fenceAttribute: 'settledUnder' };
    await ledger.send(guardPut(newer, { TableName, Item: { id: 'named' } }, options));
    const stale = ledger.send(guardPut(older, { TableName, Item: { id: 'named' } }, options));
    await expect(stale).rejects.toMatchObject({ name: 'StaleTokenError' });
  });

  it('a lease without a token is refused before anything is sent', () => {
    const noLease = { name: 'x', token: Number.NaN };
    expect(() => guardPut(noLease, { TableName, Item: { id: 'x' } })).toThrow(/fencing token/);
  });

  it('I3, C38: the stale write is told on leasehold:stale-write-refused', async () => {
    const { subscribe, unsubscribe } = await import('node:diagnostics_channel');
    const seen: unknown[] = [];
    const listener = (event: unknown) => seen.push(event);
    subscribe('leasehold:stale-write-refused', listener);
    await ledger.send(guardPut(newer, { TableName, Item: { id: 'told' } }));
    await ledger.send(guardPut(older, { TableName, Item: { id: 'told' } })).catch(() => {});
    unsubscribe('leasehold:stale-write-refused', listener);
    expect(seen).toMatchObject([{ name: 'settlement', token: 7, currentToken: told() }]);
  });

  // That it has none is told below.
  if (engine !== 'dynalite')
    describe('in a transaction', () => {
      it('I3, C38: one overtaken item refuses the whole transaction', async () => {
        await ledger.send(guardPut(newer, { TableName, Item: { id: 'two' } }));
        const transaction = guardTransaction(older, {
          TransactItems: [
            { Put: { TableName, Item: { id: 'one' } } },
            {
              Update: {
                TableName,
                Key: { id: 'two' },
                UpdateExpression: 'SET a = :a',
                ExpressionAttributeValues: { ':a': 1 },
              },
            },
          ],
        });
        const refused = { name: 'StaleTokenError', token: 7, currentToken: 8 };
        await expect(ledger.send(transaction)).rejects.toMatchObject(refused);
        expect(await stored('one')).toBeUndefined();
      });

      it('C38: the "still held" check refuses a holder that was taken over', async () => {
        const lease = await locks.acquire('checked');
        const write = () =>
          guardTransaction(
            lease,
            { TransactItems: [{ Put: { TableName, Item: { id: 'checked' } } }] },
            { leaseTable: leases },
          );
        await ledger.send(write());
        await locks.break('checked', lease.leaseId);
        await expect(ledger.send(write())).rejects.toMatchObject({ name: 'LockLostError', reason: 'broken' });
        const successor = await locks.acquire('checked', { owner: 'somebody else', supersede: true });
        await expect(ledger.send(write())).rejects.toMatchObject({
          name: 'LockLostError',
          reason: 'taken-over',
        });
        const check = new TransactWriteCommand({ TransactItems: [heldCheck(successor, leases)] });
        await expect(ledger.send(check)).resolves.toBeDefined();
        await successor.release();
        await lease.release();
      });

      it('D48 the "still held" check refuses a lease whose id came back under another token', async () => {
        const lease = await locks.acquire('revived');
        const { name, leaseId, token } = lease;
        const check = (of: { name: string; leaseId: string; token: number }) =>
          ledger.send(new TransactWriteCommand({ TransactItems: [heldCheck(of, leases)] }));
        await check({ name, leaseId, token });
        await ledger.send(
          new UpdateCommand({
            TableName: leases,
            Key: { name },
            UpdateExpression: 'SET #version = :later',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':later': token + 1 },
          }),
        );
        await expect(check({ name, leaseId, token })).rejects.toThrow();
        await check({ name, leaseId, token: token + 1 });
        const late = guardTransaction(
          { name, leaseId, token },
          { TransactItems: [] },
          { leaseTable: leases },
        );
        await expect(ledger.send(late)).rejects.toMatchObject({
          name: 'LockLostError',
          reason: 'taken-over',
        });
        await lease.release().catch(() => {});
      });
    });
  it.skipIf(engine !== 'dynalite')('transactions: not run on dynalite, which has none', () => {
    expect(dynamo.capabilities.transactions).toBe(false);
  });
});
