import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createTable } from '../../../lib/table/create-table.js';

/** Answers of one operation, one after the other; the last one is repeated. A string is the name of an error. */
type Answers = Readonly<Record<string, readonly (object | string)[]>>;

const Table = {
  TableStatus: 'ACTIVE',
  KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
  AttributeDefinitions: [
    { AttributeName: 'name', AttributeType: 'S' },
    { AttributeName: 'group', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byGroup',
      KeySchema: [
        { AttributeName: 'group', KeyType: 'HASH' },
        { AttributeName: 'name', KeyType: 'RANGE' },
      ],
    },
  ],
};
const ready: Answers = {
  DescribeTable: [{ Table }],
  DescribeTimeToLive: [{ TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' } }],
  DescribeContinuousBackups: [
    {
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
      },
    },
  ],
};
const noRecovery = { DescribeContinuousBackups: [{}] };

/** What no local engine does: only AWS knows backups, waits, and other callers at the same time. */
function scripted(answers: Answers): { client: DynamoDBClient; sent: string[] } {
  const sent: string[] = [];
  const send = async (command: object) => {
    const operation = command.constructor.name.replace(/Command$/, '');
    const asked = sent.filter((earlier) => earlier === operation).length;
    sent.push(operation);
    const answer = answers[operation]?.[asked] ?? answers[operation]?.at(-1) ?? {};
    if (typeof answer === 'string') throw Object.assign(new Error('scripted'), { name: answer });
    return answer;
  };
  return { client: { send } as unknown as DynamoDBClient, sent };
}

describe('createTable', () => {
  it('only looks when all is as it should be', async () => {
    const { client, sent } = scripted(ready);
    expect(await createTable(client, 'leases')).toEqual({
      created: false,
      timeToLive: 'enabled-before',
      pointInTimeRecovery: 'enabled-before',
    });
    expect(sent.every((operation) => operation.startsWith('Describe'))).toBe(true);
  });

  it('waits for a new table to become active, and for its backups to be there', async () => {
    const { client, sent } = scripted({
      ...ready,
      ...noRecovery,
      DescribeTable: [
        'ResourceNotFoundException',
        'ResourceNotFoundException',
        { Table: { ...Table, TableStatus: 'CREATING' } },
        { Table },
      ],
      DescribeTimeToLive: [{}],
      UpdateContinuousBackups: ['ContinuousBackupsUnavailableException', {}],
    });
    expect(await createTable(client, 'leases')).toEqual({
      created: true,
      timeToLive: 'enabled-now',
      pointInTimeRecovery: 'enabled-now',
    });
    expect(sent.filter((operation) => operation === 'UpdateContinuousBackups')).toHaveLength(2);
  });

  it('counts a table that somebody else created at the same moment as there before', async () => {
    const { client } = scripted({
      ...ready,
      DescribeTable: ['ResourceNotFoundException', { Table }],
      CreateTable: ['ResourceInUseException'],
    });
    expect(await createTable(client, 'leases')).toMatchObject({ created: false });
  });

  it('waits for Time to Live to be in effect when told to', async () => {
    const enabling = { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLING', AttributeName: 'ttl' } };
    const { client, sent } = scripted({
      ...ready,
      DescribeTimeToLive: [enabling, enabling, ...ready.DescribeTimeToLive!],
    });
    expect(await createTable(client, 'leases', { waitForTimeToLive: true })).toMatchObject({
      timeToLive: 'enabled-before',
    });
    expect(sent.filter((operation) => operation === 'DescribeTimeToLive')).toHaveLength(3);
  });

  it('is done without point-in-time recovery when that is not permitted, and says so', async () => {
    const { client } = scripted({
      ...ready,
      ...noRecovery,
      UpdateContinuousBackups: ['AccessDeniedException'],
    });
    expect(await createTable(client, 'leases')).toMatchObject({ pointInTimeRecovery: 'not-permitted' });
  });

  it('gives up after its time with an error that says what is missing', async () => {
    const { client } = scripted({ DescribeTable: [{ Table: { ...Table, TableStatus: 'UPDATING' } }] });
    await expect(createTable(client, 'leases', { waitMs: 50 })).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('is not active'),
    });
  });

  it('ends with the reason of its signal', async () => {
    const { client } = scripted({ DescribeTable: [{ Table: { ...Table, TableStatus: 'CREATING' } }] });
    const controller = new AbortController();
    const created = createTable(client, 'leases', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(created).rejects.toThrow('enough');
  });
});
