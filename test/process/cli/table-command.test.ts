import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTable } from '../../../lib/table/check-table.js';
import { cannedServer } from '../../support/canned-server.js';
import { commandHere } from '../../support/cli/command-here.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';

describe('table create', () => {
  let desk: LeaseTerminal;

  beforeAll(async () => {
    desk = await openLeaseTerminal();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  const create = (table: string, ...args: string[]) =>
    commandHere(['table', 'create', '--table', table, '--endpoint', desk.dynamo.endpoint, ...args]);
  const timeToLive = (TableName: string) => desk.client.send(new DescribeTimeToLiveCommand({ TableName }));
  const plainTable = (TableName: string, key: string) =>
    desk.client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
        AttributeDefinitions: [text(key)],
      }),
    );

  it('makes a table that passes the check, and may be said again', async () => {
    const first = await create('fresh', '--json');
    expect(first.exitCode).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ table: 'fresh', created: true });
    await checkTable(desk.client, 'fresh');
    const { Table } = await desk.client.send(new DescribeTableCommand({ TableName: 'fresh' }));
    expect(Table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST');
    const again = await create('fresh', '--wait');
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain('Table "fresh" was there, with the right key and index.');
  });

  it('takes the name from the environment when no option gives one', async () => {
    const { exitCode, stdout } = await commandHere(
      ['table', 'create', '--endpoint', desk.dynamo.endpoint, '--json'],
      { LEASEHOLD_TABLE: 'from-environment' },
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ table: 'from-environment', created: true });
  });

  it('leaves Time to Live off when told to, and enables it when it is run again without', async (test) => {
    if (!desk.dynamo.capabilities.timeToLive) return test.skip('the engine has no Time to Live');
    expect(JSON.parse((await create('later', '--no-ttl', '--json')).stdout)).toMatchObject({
      timeToLive: 'skipped',
    });
    expect((await timeToLive('later')).TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');
    const { exitCode, stdout } = await create('later');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Time to Live on "ttl": enabled now.');
    expect((await timeToLive('later')).TimeToLiveDescription).toMatchObject({
      AttributeName: 'ttl',
      TimeToLiveStatus: 'ENABLED',
    });
  });

  it('refuses a table with another key and changes nothing', async () => {
    await plainTable('other-key', 'id');
    const { exitCode, stdout, stderr } = await create('other-key');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('its partition key must be "name", it is "id"');
    expect(stderr).toContain('Nothing was changed');
    if (!desk.dynamo.capabilities.timeToLive) return;
    expect((await timeToLive('other-key')).TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');
  });

  it('refuses a table without the index', async () => {
    await plainTable('no-index', 'name');
    const { exitCode, stderr } = await create('no-index', '--json');
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({ name: 'UsageError', code: 'USAGE' });
    expect(stderr).toContain('byGroup');
  });

  it('refuses a table whose Time to Live is on another attribute', async (test) => {
    if (!desk.dynamo.capabilities.timeToLive) return test.skip('the engine has no Time to Live');
    await create('other-ttl', '--no-ttl');
    const TimeToLiveSpecification = { AttributeName: 'expires', Enabled: true };
    await desk.client.send(new UpdateTimeToLiveCommand({ TableName: 'other-ttl', TimeToLiveSpecification }));
    const { exitCode, stderr } = await create('other-ttl');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Time to Live on "expires"');
  });

  it('says in plain words that a name is not possible', async () => {
    const { exitCode, stderr } = await create('a');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^leasehold: DynamoDB refuses the table "a": .+\n$/);
  });
});

describe('table raise-tokens', () => {
  it('that is interrupted tells how far it came, and after which lock to go on', async () => {
    const Items = ['a', 'b'].map((name) => ({ name: { S: name } }));
    let scans = 0;
    await using server = await cannedServer((operation) => {
      if (operation !== 'Scan' || ++scans === 1)
        return { status: 200, body: { Items, LastEvaluatedKey: Items.at(-1) } };
      process.emit('SIGINT', 'SIGINT');
      return { status: 200, body: {} };
    });
    const { hostname, port } = await server.client.config.endpoint!();
    const told = await commandHere([
      ...['table', 'raise-tokens', '--json', '--endpoint', `http://${hostname}:${port}`],
    ]);
    expect(told).toMatchObject({ exitCode: 130, stdout: '' });
    expect(JSON.parse(told.stderr).error).toMatchObject({
      ...{ code: 'INTERRUPTED', scanned: 2, raised: 2, after: 'b' },
      message: expect.stringContaining('go on with --after "b"'),
    });
  });
});

function text(AttributeName: string): AttributeDefinition {
  return { AttributeName, AttributeType: 'S' };
}
