import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  checkRows,
  guardDelete,
  guardPut,
  guardTombstone,
  guardTransaction,
  guardUpdate,
  heldCheck,
} from '../../../lib/fence/index.js';

const lease = { name: 'settlement', token: 7, leaseId: 'mine' };
const TableName = 'ledger';
const Key = { id: '99' };

/** An error as it travels. */
type Fault = object & { readonly name: string };

let answer: Fault | undefined;

/** A DynamoDB that answers every request with that error; without one all goes well. */
const dynamo = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: {
      handle: async () => {
        const { name, ...rest } = answer ?? { name: '' };
        const body = answer ? { __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...rest } : {};
        const response = {
          statusCode: answer ? 400 : 200,
          headers: { 'content-type': 'application/x-amz-json-1.0' },
          body: Readable.from([Buffer.from(JSON.stringify(body))]),
        };
        return { response };
      },
    },
  }),
);

/** What a write ends with, and the events that it tells. */
async function outcome(write: object, error?: Fault) {
  answer = error;
  const told: unknown[] = [];
  const listener = (event: unknown) => told.push(event);
  subscribe('leasehold:stale-write-refused', listener);
  const thrown = await dynamo
    .send(write as never)
    .then(() => undefined)
    .catch((reason) => reason);
  unsubscribe('leasehold:stale-write-refused', listener);
  return { thrown, told };
}

type Own = { readonly ConditionExpression?: string };
const writes: Readonly<Record<string, (own: Own) => object>> = {
  guardPut: (own) => guardPut(lease, { TableName, Item: Key, ...own }),
  guardUpdate: (own) => guardUpdate(lease, { TableName, Key, ...own }),
  guardDelete: (own) => guardDelete(lease, { TableName, Key, ...own }),
  guardTombstone: (own) => guardTombstone(lease, { TableName, Key, ...own }),
};
const inTransaction: typeof writes = {
  Put: (own) => guardTransaction(lease, { TransactItems: [{ Put: { TableName, Item: Key, ...own } }] }),
  Update: (own) =>
    guardTransaction(lease, {
      TransactItems: [{ Update: { TableName, Key, UpdateExpression: 'REMOVE a', ...own } }],
    }),
  Delete: (own) => guardTransaction(lease, { TransactItems: [{ Delete: { TableName, Key, ...own } }] }),
};
const own = { ConditionExpression: 'attribute_exists(id)' };
const blank = { ConditionExpression: '  ' };
const fence = (N: string) => ({ ...Key, fence: { N } });

/** Who refused, as far as the refusal tells: the fence, the caller's own condition, or data that is no fence. */
const refusals: readonly [string, Own, object | undefined, object | 'own'][] = [
  ['no item shown, no other condition', {}, undefined, { name: 'StaleTokenError', currentToken: undefined }],
  [
    'no item shown, a blank condition',
    blank,
    undefined,
    { name: 'StaleTokenError', currentToken: undefined },
  ],
  ['no item shown, a condition of one’s own', own, undefined, 'own'],
  ['a newer token', {}, fence('8'), { name: 'StaleTokenError', currentToken: 8 }],
  ['a newer token, a condition of one’s own', own, fence('8'), { name: 'StaleTokenError', currentToken: 8 }],
  ['the same token, a condition of one’s own', own, fence('7'), 'own'],
  ['an older token, a condition of one’s own', own, fence('6'), 'own'],
  ['no token, a condition of one’s own', own, { id: { S: '99' } }, 'own'],
  [
    'a text',
    {},
    { fence: { S: 'barbed wire' } },
    { name: 'UsageError', message: says('The stored item has') },
  ],
  ['a text, a condition of one’s own', own, { fence: { S: '8' } }, { name: 'UsageError' }],
];

describe.each(Object.entries(writes))('D20, D38 who refused a %s', (_, write) => {
  it.each(refusals)('%s', async (_, condition, Item, expected) => {
    const error = { name: 'ConditionalCheckFailedException', message: 'no', ...(Item && { Item }) };
    const { thrown, told } = await outcome(write(condition), error);
    checkOutcome(thrown, told, expected, error.name);
  });

  it('any other error is the SDK’s own, even if it shows an item', async () => {
    const error = { name: 'ProvisionedThroughputExceededException', message: 'slow', Item: fence('8') };
    const { thrown, told } = await outcome(write({}), error);
    checkOutcome(thrown, told, 'own', error.name);
  });

  it('one that goes through is answered', async () => {
    expect(await outcome(write({}))).toEqual({ thrown: undefined, told: [] });
  });

  it('asks for the item that refuses, which tells the newer token', () => {
    const { input } = write(own) as { readonly input: object };
    expect(input).toMatchObject({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  });
});

describe.each(Object.entries(inTransaction))('D20, D38 who refused a %s in a transaction', (_, write) => {
  it.each(refusals)('%s', async (_, condition, Item, expected) => {
    const reason = { Code: 'ConditionalCheckFailed', ...(Item && { Item }) };
    const error = { name: 'TransactionCanceledException', CancellationReasons: [reason] };
    const { thrown, told } = await outcome(write(condition), error);
    checkOutcome(thrown, told, expected, error.name);
  });

  it('one that goes through is answered', async () => {
    expect(await outcome(write({}))).toEqual({ thrown: undefined, told: [] });
  });
});

describe('which of a transaction’s reasons counts', () => {
  const Put = { TableName, Item: Key };
  const ConditionCheck = { TableName, Key, ConditionExpression: 'attribute_exists(id)' };
  const transaction = () =>
    guardTransaction(
      lease,
      { TransactItems: [{ ConditionCheck }, { Put: { ...Put, ...own } }, { Put }] },
      { leaseTable: 'leases' },
    );
  const refused = (...Codes: readonly (string | object)[]) => ({
    name: 'TransactionCanceledException',
    CancellationReasons: Codes.map((code) => (typeof code === 'string' ? { Code: code } : code)),
  });
  const failed = 'ConditionalCheckFailed';
  const holdsAnother = { Code: failed, Item: { name: { S: 'settlement' }, leaseId: { S: 'other' } } };
  const holdsNobody = { Code: failed, Item: { name: { S: 'settlement' } } };

  it.each<[string, Fault, object | 'own']>([
    [
      'C38 the fence, of one in the middle',
      refused('None', 'None', failed, 'None'),
      { name: 'StaleTokenError' },
    ],
    ['a check of the caller’s', refused(failed, 'None', 'None', 'None'), 'own'],
    ['a condition of the caller’s', refused('None', failed, 'None', 'None'), 'own'],
    ['C38 the fence, behind a check', refused(failed, 'None', failed, 'None'), { name: 'StaleTokenError' }],
    ['another writer at the same time', refused('None', 'None', 'TransactionConflict', 'None'), 'own'],
    [
      'D48 the lease check, of a name that somebody else has',
      refused('None', 'None', 'None', holdsAnother),
      { name: 'LockLostError', reason: 'taken-over', lockName: 'settlement', token: 7 },
    ],
    [
      'D48 the lease check, of a name that nobody has',
      refused('None', 'None', 'None', holdsNobody),
      { name: 'LockLostError', reason: 'broken', lockName: 'settlement', token: 7 },
    ],
    [
      'D48 the lease check, of a name that is not in the table',
      refused('None', 'None', 'None', failed),
      { name: 'LockLostError', reason: 'broken' },
    ],
    ['none that is told', { name: 'TransactionCanceledException' }, 'own'],
    [
      'another error that brings reasons',
      { ...refused('None', 'None', failed, 'None'), name: 'TransactionInProgressException' },
      'own',
    ],
  ])('%s', async (_, error, expected) => {
    const { thrown, told } = await outcome(transaction(), error);
    checkOutcome(thrown, told, expected, error.name);
  });

  it('a fence of another name is looked for under that name', async () => {
    const write = guardTransaction(
      lease,
      { TransactItems: [{ Put: { ...Put, ...own } }] },
      { fenceAttribute: 'north' },
    );
    const { thrown } = await outcome(
      write,
      refused({ Code: failed, Item: { north: { N: '9' }, fence: { N: '1' } } }),
    );
    expect(thrown).toMatchObject({ name: 'StaleTokenError', currentToken: 9 });
  });
});

it('D48 the "still held" check reads the lease’s own item, and asks for it where it refuses', () => {
  expect(heldCheck(lease, 'leases').ConditionCheck).toMatchObject({
    TableName: 'leases',
    Key: { name: 'settlement' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const { input } = guardTransaction(lease, { TransactItems: undefined }, { leaseTable: 'leases' });
  expect(input.TransactItems).toEqual([heldCheck(lease, 'leases')]);
});

it('a guard adds to a write and takes nothing away from it', () => {
  const rest = {
    TableName,
    ConditionExpression: '#a = :a',
    ExpressionAttributeNames: { '#a': 'a' },
    ExpressionAttributeValues: { ':a': 1 },
    ReturnValues: 'ALL_OLD' as const,
  };
  const guarded = {
    ...rest,
    ConditionExpression:
      '#a = :a AND (attribute_not_exists(#leaseholdFence) OR #leaseholdFence <= :leaseholdToken)',
    ExpressionAttributeNames: { '#a': 'a', '#leaseholdFence': 'north' },
    ExpressionAttributeValues: { ':a': 1, ':leaseholdToken': 7 },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const options = { fenceAttribute: 'north' };
  const Item = { ...Key, total: 5 };
  expect(guardPut(lease, { ...rest, Item }, options).input).toEqual({
    ...guarded,
    Item: { ...Item, north: 7 },
  });
  expect(guardDelete(lease, { ...rest, Key }, options).input).toEqual({ ...guarded, Key });
  expect(guardUpdate(lease, { ...rest, Key, UpdateExpression: 'REMOVE b' }, options).input).toEqual({
    ...guarded,
    Key,
    UpdateExpression: 'SET #leaseholdFence = :leaseholdToken REMOVE b',
  });
  expect(
    guardTombstone(lease, { ...rest, Key }, { ...options, keep: { ttl: 9, id: 'never' } }).input,
  ).toEqual({
    ...guarded,
    Item: { ttl: 9, ...Key, north: 7 },
  });
});

it('an update in the old form is refused: its fence would be left out', () => {
  const old = { TableName, Key, AttributeUpdates: { a: { Action: 'DELETE' as const } } };
  expect(() => guardUpdate(lease, old)).toThrow(/UpdateExpression, not AttributeUpdates/);
});

it('I3, C38: of a row that was not changed the refusal tells what the caller read', async () => {
  const told: unknown[] = [];
  const listener = (event: unknown) => told.push(event);
  subscribe('leasehold:stale-write-refused', listener);
  expect(() => checkRows(lease, 0, 8)).toThrow(
    expect.objectContaining({ name: 'StaleTokenError', token: 7, currentToken: 8 }),
  );
  unsubscribe('leasehold:stale-write-refused', listener);
  expect(told).toEqual([{ name: 'settlement', token: 7, currentToken: 8, operation: 'sql' }]);
});

function checkOutcome(thrown: unknown, told: unknown[], expected: object | 'own', sdkError: string): void {
  if (expected === 'own') {
    expect(thrown).toMatchObject({ name: sdkError });
    expect(told).toEqual([]);
    return;
  }
  expect(thrown).toMatchObject({ lockName: 'settlement', ...expected });
  const { name, currentToken } = thrown as { readonly name: string; readonly currentToken?: number };
  const isStale = name === 'StaleTokenError';
  if (name !== 'UsageError') expect(thrown).toMatchObject({ token: 7, cause: { name: sdkError } });
  const event = { name: 'settlement', token: 7, currentToken, operation: 'dynamodb' };
  expect(told).toEqual(isStale ? [event] : []);
}

function says(text: string) {
  return expect.stringContaining(text);
}
