import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { type CreateTableOptions, createTable } from '../../../lib/table/create-table.js';
import { VirtualTime } from '../../support/virtual-time.js';

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

/** What is asked of a table, and with what. */
interface Sent {
  readonly operation: string;
  readonly input: object;
  readonly at: number;
  readonly signal: AbortSignal;
}

/** What no local engine does: only AWS knows backups, waits, and other callers at the same time. */
function scripted(answers: Answers) {
  const runtime = new VirtualTime();
  const sent: Sent[] = [];
  const send = async (
    command: { readonly input: object },
    options: { readonly abortSignal: AbortSignal },
  ) => {
    const operation = command.constructor.name.replace(/Command$/, '');
    const asked = sent.filter((earlier) => earlier.operation === operation).length;
    sent.push({ operation, input: command.input, at: runtime.monotonicMs(), signal: options.abortSignal });
    const answer = answers[operation]?.[asked] ?? answers[operation]?.at(-1) ?? {};
    if (answer === 'hangs') return new Promise(() => {});
    if (typeof answer === 'string') throw Object.assign(new Error('scripted'), { name: answer });
    return answer;
  };
  const start = (options: CreateTableOptions = {}) =>
    createTable({ send } as unknown as DynamoDBClient, 'leases', { runtime, ...options });
  /** More than an hour later, by when it is settled. */
  const create = async (options?: CreateTableOptions) => {
    const created = start(options);
    created.catch(() => {});
    await runtime.pass(3_700_000);
    return created;
  };
  const changes = () => sent.filter(({ operation }) => !operation.startsWith('Describe'));
  const times = (operation: string) => sent.filter((one) => one.operation === operation).map(({ at }) => at);
  return { start, create, sent, changes, times };
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => undefined).catch((error) => error);
const ttl = (TimeToLiveStatus: string, AttributeName = 'ttl') => ({
  TimeToLiveDescription: { TimeToLiveStatus, AttributeName },
});
const backups = (PointInTimeRecoveryStatus: string) => ({
  ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
});

describe('createTable', () => {
  it('only looks when all is as it should be', async () => {
    const { create, sent, changes } = scripted(ready);
    expect(await create()).toEqual({
      ...{ created: false, timeToLive: 'enabled-before', pointInTimeRecovery: 'enabled-before' },
    });
    expect(changes()).toEqual([]);
    for (const { input } of sent) expect(input).toEqual({ TableName: 'leases' });
  });

  it('makes the table of the protocol, and asks for no more than what is missing', async () => {
    const { create, changes } = scripted({
      DescribeTable: ['ResourceNotFoundException', { Table }],
      DescribeTimeToLive: [ttl('DISABLED')],
      DescribeContinuousBackups: [backups('DISABLED')],
    });
    expect(await create()).toEqual({
      ...{ created: true, timeToLive: 'enabled-now', pointInTimeRecovery: 'enabled-now' },
    });
    const { TableStatus, ...schema } = Table;
    const [{ KeySchema, IndexName }] = schema.GlobalSecondaryIndexes as [
      { KeySchema: object; IndexName: string },
    ];
    expect(changes().map(({ operation, input }) => ({ operation, input }))).toEqual([
      {
        operation: 'CreateTable',
        input: {
          ...{ TableName: 'leases', BillingMode: 'PAY_PER_REQUEST', ...schema },
          GlobalSecondaryIndexes: [{ IndexName, KeySchema, Projection: { ProjectionType: 'KEYS_ONLY' } }],
        },
      },
      {
        operation: 'UpdateTimeToLive',
        input: { TableName: 'leases', TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } },
      },
      {
        operation: 'UpdateContinuousBackups',
        input: {
          TableName: 'leases',
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      },
    ]);
  });

  it('waits for a new table to become active, and for its backups to be there', async () => {
    const { create, times } = scripted({
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
    expect(await create()).toEqual({
      ...{ created: true, timeToLive: 'enabled-now', pointInTimeRecovery: 'enabled-now' },
    });
    expect(times('DescribeTable')).toHaveLength(4);
    expect(times('UpdateContinuousBackups')).toHaveLength(2);
  });

  it('counts a table that somebody else created at the same moment as there before', async () => {
    const { create } = scripted({
      ...ready,
      DescribeTable: ['ResourceNotFoundException', { Table }],
      CreateTable: ['ResourceInUseException'],
    });
    expect(await create()).toMatchObject({ created: false });
  });

  it.each<[string, object, RegExp]>([
    [
      'another key',
      { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] },
      /partition key must be "name"/,
    ],
    ['no index', { GlobalSecondaryIndexes: [] }, /lacks the index "byGroup"/],
    [
      'several things wrong',
      { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }], GlobalSecondaryIndexes: [] },
      /partition key must be "name"[^;]*; [^;]*lacks the index "byGroup"/,
    ],
    ['replicas that lag', { Replicas: [{ RegionName: 'eu-west-1' }] }, /eventually consistent/],
    // Somebody else makes it just now: it will never be a lease table.
    ['another key, and is not active', { KeySchema: [], TableStatus: 'CREATING' }, /partition key/],
  ])('changes nothing of a table that has %s, and says so at once', async (_, wrong, what) => {
    const { create, changes, times } = scripted({
      ...ready,
      DescribeTable: [{ Table: { ...Table, ...wrong } }],
    });
    expect(await thrownBy(create())).toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(
        new RegExp(`^Table "leases" can't hold leases: .*${what.source}.*Nothing was changed`),
      ),
    });
    expect(changes()).toEqual([]);
    expect(times('DescribeTable')).toHaveLength(2);
  });

  describe('Time to Live', () => {
    it.each(['ENABLED', 'ENABLING'])('that is %s already is left as it is', async (status) => {
      const { create, changes } = scripted({ ...ready, DescribeTimeToLive: [ttl(status)] });
      expect(await create()).toMatchObject({ timeToLive: 'enabled-before' });
      expect(changes()).toEqual([]);
    });

    it.each(['ENABLED', 'ENABLING'])(
      'that is %s for another attribute can’t be had twice',
      async (status) => {
        const { create, changes } = scripted({ ...ready, DescribeTimeToLive: [ttl(status, 'expiresAt')] });
        expect(await thrownBy(create())).toMatchObject({
          name: 'UsageError',
          message: expect.stringMatching(/Time to Live on "expiresAt", needed is "ttl".*Nothing was changed/),
        });
        expect(changes()).toEqual([]);
      },
    );

    it('that was for another attribute once is put to ours', async () => {
      const { create } = scripted({ ...ready, DescribeTimeToLive: [ttl('DISABLED', 'expiresAt')] });
      expect(await create()).toMatchObject({ timeToLive: 'enabled-now' });
    });

    it('that somebody else has enabled in between counts as there before', async () => {
      const UpdateTimeToLive = ['ValidationException'];
      const enabled = scripted({
        ...ready,
        UpdateTimeToLive,
        DescribeTimeToLive: [ttl('DISABLED'), ttl('ENABLING')],
      });
      expect(await enabled.create()).toMatchObject({ timeToLive: 'enabled-before' });
      const refused = scripted({ ...ready, UpdateTimeToLive, DescribeTimeToLive: [ttl('DISABLED')] });
      expect(await thrownBy(refused.create())).toMatchObject({ cause: { name: 'ValidationException' } });
    });

    it('is no matter where an engine has none, and where the caller wants none', async () => {
      const engine = scripted({ ...ready, DescribeTimeToLive: ['UnknownOperationException'] });
      expect(await engine.create({ waitForTimeToLive: true })).toMatchObject({ timeToLive: 'unsupported' });
      expect(engine.times('DescribeTimeToLive')).toHaveLength(1);
      const unwanted = scripted({ ...ready, DescribeTimeToLive: [ttl('DISABLED')] });
      expect(await unwanted.create({ timeToLive: false, waitForTimeToLive: true })).toMatchObject({
        timeToLive: 'skipped',
      });
      expect(unwanted.times('DescribeTimeToLive')).toEqual([]);
    });

    it('is no matter for a strongly consistent global table, which can’t have it', async () => {
      const Replicas = [{ RegionName: 'eu-west-1' }];
      const global = { ...Table, Replicas, MultiRegionConsistency: 'STRONG' };
      const { create, times } = scripted({ ...ready, DescribeTable: [{ Table: global }] });
      expect(await create()).toMatchObject({ timeToLive: 'skipped' });
      expect(times('DescribeTimeToLive')).toEqual([]);
    });

    it('is waited for when told to, and only then', async () => {
      const answers = { ...ready, DescribeTimeToLive: [ttl('ENABLING'), ttl('ENABLING'), ttl('ENABLED')] };
      const waits = scripted(answers);
      expect(await waits.create({ waitForTimeToLive: true })).toMatchObject({ timeToLive: 'enabled-before' });
      expect(waits.times('DescribeTimeToLive')).toHaveLength(3);
      const goesOn = scripted(answers);
      await goesOn.create();
      expect(goesOn.times('DescribeTimeToLive')).toHaveLength(1);
    });

    it('is waited for an hour', async () => {
      const { create, times } = scripted({ ...ready, DescribeTimeToLive: [ttl('ENABLING')] });
      expect(await thrownBy(create({ waitForTimeToLive: true }))).toMatchObject({
        message: 'Table "leases" is not deleting expired items after 3600 s',
      });
      const asked = times('DescribeTimeToLive');
      expect(asked.at(-1)! - asked[0]!).toBeGreaterThan(3_590_000);
    });
  });

  describe('point-in-time recovery', () => {
    it.each([
      ['UnknownOperationException', 'unsupported'],
      ['AccessDeniedException', 'not-permitted'],
    ])('after %s is %s, and the table is done', async (error, pointInTimeRecovery) => {
      const asked = scripted({ ...ready, DescribeContinuousBackups: [error] });
      expect(await asked.create()).toMatchObject({ pointInTimeRecovery });
      const enabled = scripted({ ...ready, ...noRecovery, UpdateContinuousBackups: [error] });
      expect(await enabled.create()).toMatchObject({ pointInTimeRecovery });
    });

    it('that fails otherwise is told, and not asked for again', async () => {
      const { create, times } = scripted({
        ...ready,
        ...noRecovery,
        UpdateContinuousBackups: ['InternalServerError'],
      });
      expect(await thrownBy(create())).toMatchObject({
        name: 'StoreError',
        cause: { name: 'InternalServerError' },
      });
      expect(times('UpdateContinuousBackups')).toHaveLength(1);
    });

    it('that never can be had is waited for as long as the table itself', async () => {
      const { create } = scripted({
        ...ready,
        ...noRecovery,
        UpdateContinuousBackups: ['ContinuousBackupsUnavailableException'],
      });
      expect(await thrownBy(create({ waitMs: 9_000 }))).toMatchObject({
        message: 'Table "leases" is not ready for backups after 9 s',
      });
    });
  });

  it('waits five minutes for the table, asks every two seconds at the least, and then says what is missing', async () => {
    const { create, times } = scripted({ DescribeTable: [{ Table: { ...Table, TableStatus: 'UPDATING' } }] });
    expect(await thrownBy(create())).toMatchObject({
      ...{ name: 'StoreError', retryable: true, mayHaveApplied: true },
      message: 'Table "leases" is not active after 300 s',
      cause: expect.anything(),
    });
    const asked = times('DescribeTable');
    const pauses = asked.slice(1).map((at, index) => at - asked[index]!);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(2_000);
    // None in a hurry, either: a table takes some seconds.
    expect(asked.length).toBeLessThan(400);
    expect(asked.at(-1)! - asked[0]!).toBeGreaterThanOrEqual(298_000);
  });

  it('waits as long as the caller says', async () => {
    const { create } = scripted({ DescribeTable: [{ Table: { ...Table, TableStatus: 'UPDATING' } }] });
    expect(await thrownBy(create({ waitMs: 50 }))).toMatchObject({
      message: expect.stringContaining('0.05 s'),
    });
  });

  it.each([
    [{ DescribeTable: ['ValidationException'] }],
    [{ DescribeTable: ['ResourceNotFoundException'], CreateTable: ['ValidationException'] }],
  ])('tells a name that DynamoDB refuses: %j', async (answers) => {
    expect(await thrownBy(scripted(answers).create())).toMatchObject({
      ...{ name: 'UsageError', message: 'DynamoDB refuses the table "leases": scripted' },
      cause: { name: 'ValidationException' },
    });
  });

  it.each([
    [{ DescribeTable: ['AccessDeniedException'] }],
    [{ DescribeTable: ['ResourceNotFoundException'], CreateTable: ['AccessDeniedException'] }],
    [{ ...ready, DescribeTimeToLive: ['AccessDeniedException'] }],
    [{ ...ready, DescribeTimeToLive: [{}], UpdateTimeToLive: ['AccessDeniedException'] }],
  ])('tells what may not be done at once: %j', async (answers) => {
    expect(await thrownBy(scripted(answers).create())).toMatchObject({
      ...{ name: 'StoreError', retryable: false, cause: { name: 'AccessDeniedException' } },
      message: expect.stringContaining('"leases"'),
    });
  });

  it('C20 ends a request that is not answered', async () => {
    expect(await thrownBy(scripted({ DescribeTable: ['hangs'] }).create())).toMatchObject({
      name: 'StoreError',
    });
  });

  it('ends with the reason of its signal, whatever it waits for', async () => {
    const reason = new Error('enough');
    const hanging: Answers[] = [
      { DescribeTable: [{ Table: { ...Table, TableStatus: 'CREATING' } }] },
      { DescribeTable: ['hangs'] },
      { DescribeTable: ['ResourceNotFoundException'], CreateTable: ['hangs'] },
      { ...ready, DescribeTimeToLive: ['hangs'] },
      { ...ready, DescribeTimeToLive: [{}], UpdateTimeToLive: ['hangs'] },
      { ...ready, DescribeContinuousBackups: ['hangs'] },
      { ...ready, ...noRecovery, UpdateContinuousBackups: ['hangs'] },
    ];
    for (const answers of hanging) {
      const controller = new AbortController();
      const { start, sent } = scripted(answers);
      const created = thrownBy(start({ signal: controller.signal }));
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      controller.abort(reason);
      expect(await created).toBe(reason);
      expect(sent.at(-1)!.signal.aborted).toBe(JSON.stringify(answers).includes('hangs'));
    }
  });
});
