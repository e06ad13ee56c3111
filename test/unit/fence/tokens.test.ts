import type { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  checkRows,
  guardDelete,
  guardPut,
  guardTombstone,
  guardTransaction,
  guardUpdate,
  heldCheck,
  sqlFence,
} from '../../../lib/fence/index.js';
import { guardedPutObject } from '../../../lib/fence/s3/index.js';
import { type Processor, withLedger } from '../../../lib/scan/index.js';

const TableName = 'ledger';
const Key = { id: '99' };
type AnyLease = { readonly name: string; readonly token: number; readonly leaseId: string };

/** Every guard there is. None may send anything: what they would send with is not there. */
const guards: Readonly<Record<string, (lease: AnyLease) => unknown>> = {
  guardPut: (lease) => guardPut(lease, { TableName, Item: Key }),
  guardUpdate: (lease) => guardUpdate(lease, { TableName, Key }),
  guardDelete: (lease) => guardDelete(lease, { TableName, Key }),
  guardTombstone: (lease) => guardTombstone(lease, { TableName, Key }),
  guardTransaction: (lease) => guardTransaction(lease, { TransactItems: [{ Delete: { TableName, Key } }] }),
  'guardTransaction of nothing': (lease) => guardTransaction(lease, { TransactItems: [] }),
  heldCheck: (lease) => heldCheck(lease, 'leases'),
  sqlFence: (lease) => sqlFence(lease, { placeholder: '$1' }),
  'checkRows of no row': (lease) => checkRows(lease, 0),
  'checkRows of one row': (lease) => checkRows(lease, 1),
  guardedPutObject: (lease) => guardedPutObject(noS3, lease, { Bucket: 'b', Key: 'k', Body: '' }),
  withLedger: (lease) =>
    withLedger(counting, { client: noTable, table: TableName }).process(
      { run: 'r', number: 1, sliceName: 's' } as never,
      { lease } as never,
    ),
};

const counting: Processor<number> = { empty: () => 0, process: async () => 1, merge: (a, b) => a + b };

const unreachable = () => {
  throw new Error('something was sent');
};
const noS3 = { send: unreachable } as unknown as S3Client;
const noTable = { send: unreachable } as unknown as DynamoDBDocumentClient;

const noTokens: readonly unknown[] = [
  undefined,
  null,
  '7',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  7.5,
  2 ** 53,
  0,
  -7,
  7n,
  {},
];

describe.each(Object.entries(guards))('D05 a token that is none, at %s', (what, guard) => {
  it.each(noTokens.map((token) => [token]))('%s is a UsageError, and nothing is sent', async (token) => {
    const lease = { name: 'settlement', leaseId: 'l', token } as AnyLease;
    await expect(async () => guard(lease)).rejects.toMatchObject({
      name: 'UsageError',
      lockName: 'settlement',
      message: expect.stringContaining('fencing token'),
    });
  });

  it.each([[undefined], [null], ['settlement'], [7]])('%s instead of a lease, too', async (lease) => {
    await expect(async () => guard(lease as never)).rejects.toMatchObject({ name: 'UsageError' });
  });

  it('the first token that a store gives is one', async () => {
    const said = await (async () => guard({ name: 'settlement', leaseId: 'l', token: 1 }))().catch(String);
    expect(String(said)).not.toContain('fencing token');
  });

  // Whether a lease goes on is nothing that `checkRows` asks.
  if (what.startsWith('checkRows')) return;
  it('D07 a lease that has ended here is refused as its own check says; one that was lost is not', async () => {
    const lease = { name: 'settlement', leaseId: 'l', token: 7 };
    const ended = { ...lease, throwIfLost: () => fail('ENDED') };
    await expect(async () => guard(ended)).rejects.toMatchObject({ code: 'ENDED' });
    const lost = { ...lease, throwIfLost: () => fail('LOCK_LOST') };
    const said = await (async () => guard(lost))().catch((error) => error);
    expect(said).not.toMatchObject({ code: 'LOCK_LOST' });
  });
});

it.each([
  [undefined, 'got undefined'],
  [null, 'got null'],
  ['settlement', 'got settlement'],
  [{ token: '7' }, 'got the token "7"'],
  [{ token: 7.5 }, 'got the token 7.5'],
])(
  'D05 %j instead of a lease with its token: says what came, and a text apart from a number',
  (lease, said) => {
    expect(() => sqlFence(lease as never, { placeholder: '$1' })).toThrow(said);
  },
);

function fail(code: string): never {
  throw Object.assign(new Error(code), { code });
}

describe('the "still held" check', () => {
  it('D48 demands the lease’s id and its token', () => {
    const { ConditionCheck } = heldCheck({ name: 'n', leaseId: 'mine', token: 7 }, 'leases');
    expect(ConditionCheck).toMatchObject({
      ConditionExpression: '#leaseId = :leaseId AND #version = :token',
      ExpressionAttributeNames: { '#leaseId': 'leaseId', '#version': 'version' },
      ExpressionAttributeValues: { ':leaseId': 'mine', ':token': 7 },
    });
  });

  it.each([{ leaseId: undefined }, { leaseId: '' }, { name: undefined }, { name: '' }])(
    'D48 is refused without either: %j',
    (missing) => {
      const lease = { name: 'n', leaseId: 'mine', token: 7, ...missing } as AnyLease;
      expect(() => heldCheck(lease, 'leases')).toThrow(expect.objectContaining({ name: 'UsageError' }));
    },
  );
});

describe("D38 an attribute of the user's own where the fence would be", () => {
  const lease = { name: 'field', token: 7, leaseId: 'l' };
  const refused = (where: string) =>
    expect.objectContaining({
      name: 'UsageError',
      message: expect.stringMatching(
        new RegExp(`^${where} an attribute "fence" of its own.*fenceAttribute`, 's'),
      ),
    });
  const names = { '#f': 'fence', '#set': 'other' };

  it.each([['barbed wire'], [7.5], [null], [true], [{}], ['7']])(
    'guardPut refuses an item with %j',
    (fence) => {
      expect(() => guardPut(lease, { TableName, Item: { id: '1', fence } })).toThrow(refused('The item has'));
      expect(() =>
        guardPut(lease, { TableName, Item: { id: '1', fence } }, { fenceAttribute: 'token' }),
      ).not.toThrow();
    },
  );

  it('guardPut takes an item as it was read, with an older token, and writes its own', () => {
    const { input } = guardPut(lease, { TableName, Item: { id: '1', fence: 6 } });
    expect(input.Item).toEqual({ id: '1', fence: 7 });
    expect(() => guardPut(lease, { TableName, Item: { id: '1', fence: 6n } })).not.toThrow();
  });

  it.each([
    'SET fence = :v',
    'SET a = :v, #f = :v',
    'set a = if_not_exists(b, :v), fence = :v',
    'SET a = :v REMOVE fence',
    'REMOVE #f.height',
    'ADD fence :v',
    'ADD a :v, #f :v',
    'DELETE fence :v',
    'SET a = list_append(a, :v), #f[0] = :v',
  ])('guardUpdate refuses %j', (UpdateExpression) => {
    const update = { TableName, Key, UpdateExpression, ExpressionAttributeNames: names };
    expect(() => guardUpdate(lease, update)).toThrow(refused('The update writes'));
    expect(() => guardTransaction(lease, { TransactItems: [{ Update: update }] })).toThrow(
      refused('The update writes'),
    );
  });

  it.each([
    ['SET seen = fence', 'SET #leaseholdFence = :leaseholdToken, seen = fence'],
    ['SET a = if_not_exists(#f, :v)', 'SET #leaseholdFence = :leaseholdToken, a = if_not_exists(#f, :v)'],
    ['SET a.fence = :v', 'SET #leaseholdFence = :leaseholdToken, a.fence = :v'],
    ['REMOVE #set', 'SET #leaseholdFence = :leaseholdToken REMOVE #set'],
    ['ADD #set :set', 'SET #leaseholdFence = :leaseholdToken ADD #set :set'],
    ['REMOVE a\nSET#set = :set', 'REMOVE a\nSET #leaseholdFence = :leaseholdToken,#set = :set'],
    ['SET fences = :v', 'SET #leaseholdFence = :leaseholdToken, fences = :v'],
    ['  ', 'SET #leaseholdFence = :leaseholdToken'],
  ])('guardUpdate takes %j, which does not write it', (UpdateExpression, becomes) => {
    const { input } = guardUpdate(lease, {
      TableName,
      Key,
      UpdateExpression,
      ExpressionAttributeNames: names,
    });
    expect(input.UpdateExpression).toBe(becomes);
  });

  it('a key of that name is refused by every guard', () => {
    // A number, too: a token could not stand beside it.
    for (const fence of ['north', 6]) {
      const own = { TableName, Key: { fence } };
      expect(() => guardUpdate(lease, own)).toThrow(refused('The key has'));
      expect(() => guardDelete(lease, own)).toThrow(refused('The key has'));
      expect(() => guardTombstone(lease, own)).toThrow(refused('The key has'));
    }
  });

  it('a write that has a guard already is refused: two fences can’t both be what decides', () => {
    const once = guardUpdate(lease, { TableName, Key }).input;
    expect(() => guardUpdate(lease, once, { fenceAttribute: 'other' })).toThrow(/has a guard already/);
    expect(() => guardTransaction(lease, { TransactItems: [{ Update: once as never }] })).toThrow(
      /has a guard already/,
    );
    // Half of one is none of the caller's either: the guard would take its place.
    for (const half of [
      { ExpressionAttributeNames: { '#leaseholdFence': 'a' } },
      { ExpressionAttributeValues: { ':leaseholdToken': 1 } },
    ]) {
      expect(() => guardUpdate(lease, { TableName, Key, ...half })).toThrow(/has a guard already/);
    }
  });

  it.each([[''], [7], [null]])('fenceAttribute %j is a UsageError, which says so', (fenceAttribute) => {
    expect(() => guardPut(lease, { TableName, Item: Key }, { fenceAttribute } as never)).toThrow(
      `fenceAttribute: must be the name of an attribute, got ${JSON.stringify(fenceAttribute)}`,
    );
  });
});

it.each([[{}], [{ fenceAttribute: 'north' }]])(
  'I3 a transaction fences each of its writes as that write’s own guard does: %j',
  (options) => {
    const lease = { name: 'n', token: 7, leaseId: 'l' };
    const Put = { TableName, Item: { ...Key, total: 1 } };
    const Update = { TableName, Key, UpdateExpression: 'REMOVE total' };
    const Delete = { TableName, Key, ConditionExpression: 'attribute_exists(id)' };
    const ConditionCheck = { TableName, Key, ConditionExpression: 'attribute_exists(id)' };
    const TransactItems = [{ Put }, { Update }, { Delete }, { ConditionCheck }];
    const { input } = guardTransaction(lease, { TransactItems, ClientRequestToken: 'once' }, options);
    expect(input).toEqual({
      TransactItems: [
        { Put: guardPut(lease, Put, options).input },
        { Update: guardUpdate(lease, Update, options).input },
        { Delete: guardDelete(lease, Delete, options).input },
        { ConditionCheck },
      ],
      ClientRequestToken: 'once',
    });
  },
);

describe('D20 a condition of one’s own', () => {
  const lease = { name: 'n', token: 7 };
  const guard = '(attribute_not_exists(#leaseholdFence) OR #leaseholdFence <= :leaseholdToken)';
  it.each([
    ['a = :a', `a = :a AND ${guard}`],
    ['(a = :a)', `(a = :a) AND ${guard}`],
    ['a = :a OR b = :b', `(a = :a OR b = :b) AND ${guard}`],
    ['(a = :a OR b = :b)', `(a = :a OR b = :b) AND ${guard}`],
    [' (a = :a) or (b = :b) ', `((a = :a) or (b = :b)) AND ${guard}`],
    ['  ', guard.slice(1, -1)],
  ])('%j is joined without doubled parentheses', (ConditionExpression, becomes) => {
    expect(guardDelete(lease, { TableName, Key, ConditionExpression }).input.ConditionExpression).toBe(
      becomes,
    );
    const { input } = guardTransaction(
      { ...lease, leaseId: 'l' },
      {
        TransactItems: [{ Put: { TableName, Item: Key, ConditionExpression } }],
      },
    );
    expect(input.TransactItems?.[0]?.Put?.ConditionExpression).toBe(becomes);
  });
});
