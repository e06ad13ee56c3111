import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { checkTable, tableFindings } from '../../../lib/table/check-table.js';

const key = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType });
const right = {
  KeySchema: [key('name', 'HASH')],
  AttributeDefinitions: [
    { AttributeName: 'group', AttributeType: 'S' },
    { AttributeName: 'name', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    { IndexName: 'other', KeySchema: [key('id', 'HASH')] },
    { IndexName: 'byGroup', KeySchema: [key('group', 'HASH'), key('name', 'RANGE')] },
  ],
};
const on = { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' };

/** A DynamoDB that describes a table so. A string is the name of an error, or `hangs`. */
function describing(table: object | string | undefined, timeToLive: object | string | undefined = on) {
  const sent: { readonly operation: string; readonly input: object; readonly signal: unknown }[] = [];
  const answered = (answer: object | string | undefined, field: string) => {
    if (answer === 'hangs') return new Promise(() => {});
    if (typeof answer === 'string') throw Object.assign(new Error('scripted'), { name: answer });
    return { [field]: answer };
  };
  const send = async (command: { readonly input: object }, options: { readonly abortSignal?: unknown }) => {
    const operation = command.constructor.name.replace(/Command$/, '');
    sent.push({ operation, input: command.input, signal: options.abortSignal });
    if (operation === 'DescribeTable') return answered(table, 'Table');
    return answered(timeToLive, 'TimeToLiveDescription');
  };
  return { client: { send } as unknown as Pick<DynamoDBClient, 'send'>, sent };
}

const problemsOf = async (table: object) => {
  const { key, index, replicas } = await tableFindings(describing({ ...right, ...table }).client, 'leases');
  return [...key, ...index, ...replicas];
};

describe('a table that can hold leases', () => {
  it.each(['ENABLED', 'ENABLING'])('has Time to Live on "ttl": %s', async (TimeToLiveStatus) => {
    const { client, sent } = describing(right, { ...on, TimeToLiveStatus });
    expect(await checkTable(client, 'leases')).toEqual({ timeToLive: 'enabled', remarks: [] });
    expect(sent.map(({ operation, input }) => [operation, input])).toEqual([
      ['DescribeTable', { TableName: 'leases' }],
      ['DescribeTimeToLive', { TableName: 'leases' }],
    ]);
  });

  it('has none if it is a strongly consistent global table, and is not asked for it', async () => {
    const global = { ...right, Replicas: [{ RegionName: 'eu-west-1' }], MultiRegionConsistency: 'STRONG' };
    const { client, sent } = describing(global);
    expect(await checkTable(client, 'leases')).toEqual({
      timeToLive: 'none',
      remarks: [expect.stringContaining('its sweeper deletes what has expired')],
    });
    expect(sent).toHaveLength(1);
  });

  it.each(['UnknownOperationException', 'NotImplemented', 'AccessDeniedException'])(
    'may be one of which nobody here can tell: %s',
    async (name) => {
      expect(await checkTable(describing(right, name).client, 'leases')).toEqual({
        timeToLive: 'unknown',
        remarks: [`Can't tell whether Time to Live is on for the attribute "ttl": ${name}`],
      });
    },
  );
});

describe('what is wrong with a table is told in words', () => {
  const partition = (name: string | undefined) => `its partition key must be "name", it is "${name}"`;
  const lacks = 'it lacks the index "byGroup" (partition key "group", sort key "name", keys only)';
  const index = (found: string) =>
    `its index "byGroup" must have the keys "group" and "name", it has ${found}`;
  const byGroup = (...KeySchema: object[]) => ({
    GlobalSecondaryIndexes: [{ IndexName: 'byGroup', KeySchema }],
  });

  it.each<[string, object, string[]]>([
    ['nothing', {}, []],
    ['another key', { KeySchema: [key('id', 'HASH')] }, [partition('id')]],
    ['no key', { KeySchema: undefined }, [partition(undefined)]],
    [
      'a sort key',
      { KeySchema: [key('name', 'HASH'), key('at', 'RANGE')] },
      ['it must have no sort key, it has "at"'],
    ],
    [
      'a key that is a number',
      { AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'N' }] },
      ['its key "name" must be a String (S), it is N'],
    ],
    ['no index', { GlobalSecondaryIndexes: undefined }, [lacks]],
    ['only other indexes', { GlobalSecondaryIndexes: [right.GlobalSecondaryIndexes[0]] }, [lacks]],
    ['an index without a sort key', byGroup(key('group', 'HASH')), [index('"group"')]],
    [
      'an index by another attribute',
      byGroup(key('at', 'HASH'), key('name', 'RANGE')),
      [index('"at" and "name"')],
    ],
    [
      'an index sorted by another attribute',
      byGroup(key('group', 'HASH'), key('at', 'RANGE')),
      [index('"group" and "at"')],
    ],
    [
      'replicas that lag',
      { Replicas: [{ RegionName: 'eu-west-1' }, { RegionName: 'eu-west-2' }] },
      [
        expect.stringMatching(
          /^it has replicas \(eu-west-1, eu-west-2\) that are eventually consistent/,
        ) as never,
      ],
    ],
    ['no replica', { Replicas: [] }, []],
  ])('%s', async (_, table, problems) => {
    expect(await problemsOf(table)).toEqual(problems);
  });

  it.each<[object | undefined, string]>([
    [undefined, 'Time to Live is off: turn it on for the attribute "ttl", or items pile up'],
    [{ TimeToLiveStatus: 'DISABLED', AttributeName: 'ttl' }, 'Time to Live is off: turn it on'],
    [
      { TimeToLiveStatus: 'ENABLED', AttributeName: 'at' },
      'Time to Live must be on for the attribute "ttl", it is for "at"',
    ],
  ])('Time to Live %j', async (timeToLive, problem) => {
    // `undefined` would mean the default.
    const { client } = describing(right, timeToLive ?? {});
    expect(await tableFindings(client, 'leases')).toMatchObject({
      timeToLive: { problem: expect.stringContaining(problem) },
    });
  });

  it('all at once, in one error', async () => {
    const wrong = {
      ...{ KeySchema: [key('id', 'HASH')], GlobalSecondaryIndexes: [] },
      Replicas: [{ RegionName: 'eu-west-1' }],
    };
    await expect(checkTable(describing(wrong, {}).client, 'leases')).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(
        /^Table "leases" can't hold leases: its partition.*; it lacks.*; it has replicas.*; Time to Live is off/,
      ),
    });
  });
});

describe('a table that can’t be looked at', () => {
  it('is not there: the error says how to make it', async () => {
    const { client } = describing('ResourceNotFoundException');
    await expect(checkTable(client, 'leases')).rejects.toMatchObject({
      ...{ name: 'UsageError', cause: { name: 'ResourceNotFoundException' } },
      message: expect.stringMatching(/^Table "leases" does not exist .*"leasehold table create"/),
    });
  });

  it.each([
    ['AccessDeniedException', on],
    [right, 'InternalServerError'],
  ])(
    'for another reason: DynamoDB’s own error is the cause, and nothing can have changed: %j %j',
    async (table, timeToLive) => {
      await expect(checkTable(describing(table, timeToLive).client, 'leases')).rejects.toMatchObject({
        ...{ name: 'StoreError', mayHaveApplied: false },
        message: expect.stringContaining('"leases"'),
        cause: { name: typeof table === 'string' ? table : timeToLive },
      });
    },
  );

  it.each([
    ['hangs', on],
    [right, 'hangs'],
  ])('is given up with the caller’s signal, and so is the request: %j %j', async (table, timeToLive) => {
    const controller = new AbortController();
    const { client, sent } = describing(table, timeToLive);
    const found = tableFindings(client, 'leases', { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort();
    await expect(found).rejects.toMatchObject({ name: 'StoreError' });
    expect((sent.at(-1)!.signal as AbortSignal).aborted).toBe(true);
  });

  it('says what it is where a table has no description at all', async () => {
    expect(await tableFindings(describing(undefined).client, 'leases')).toMatchObject({
      key: ['its partition key must be "name", it is "undefined"'],
    });
  });
});
