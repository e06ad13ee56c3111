import { ScanCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clockFinding,
  type Finding,
  permissionFindings,
  tableReport,
} from '../../../bin/cli/doctor/findings.js';

import { StoreClock } from '../../../lib/clock/store-clock.js';
import { systemRuntime } from '../../../lib/index.js';
import { accessDenied, cannedServer } from '../../support/canned-server.js';
import { commandHere } from '../../support/cli/command-here.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';
import { madeTable } from '../../support/made-table.js';

const actions = ['UpdateItem', 'GetItem', 'BatchGetItem', 'PutItem', 'Query', 'Scan'];
const _text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' }) as const;

describe('doctor', () => {
  let desk: LeaseTerminal;
  beforeAll(async () => {
    desk = await openLeaseTerminal();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  const doctor = (table: string, ...args: string[]) =>
    commandHere(['doctor', '--table', table, '--endpoint', desk.dynamo.endpoint, ...args]);

  it('finds nothing wrong with the table that `table create` makes, and leaves it as it is', async () => {
    const { exitCode, stdout, stderr } = await doctor('leases', '--json');
    expect(stderr).toBe('');
    const { table, healthy, findings } = JSON.parse(stdout);
    const wrong = findings.filter(({ status }: Finding) => status === 'wrong');
    // What an engine without Time to Live says about it is right: it is off.
    const expected = desk.dynamo.capabilities.timeToLive ? [] : ['time to live'];
    expect(wrong.map(({ check }: Finding) => check)).toEqual(expected);
    expect({ exitCode, table, healthy }).toEqual({
      exitCode: expected.length,
      table: 'leases',
      healthy: expected.length === 0,
    });
    const checks = findings.map(({ check }: Finding) => check);
    const permissions = actions.map((action) => `dynamodb:${action}`);
    expect(checks).toEqual(['key', 'index', 'time to live', ...permissions, 'tokens', 'clock']);
    const { Items } = await desk.client.send(new ScanCommand({ TableName: 'leases' }));
    expect(Items).toEqual([]);
  });

  it('shows an example and its exit codes in its help', async () => {
    const { exitCode, stdout } = await commandHere(['doctor', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/1 something is\.\n\nExample:\n {2}\$ leasehold doctor /);
  });

  it('prints one line for each look', async () => {
    const { stdout } = await doctor('leases');
    expect(stdout).toMatch(/^STATUS +CHECK +FINDING\nok +key +partition key "name"/);
    expect(stdout).toMatch(/^ok +dynamodb:UpdateItem +permitted$/m);
    expect(stdout).toMatch(/^ok +clock +this machine's clock is \d+\.\ds .*; leases do not mind$/m);
  });

  it('ends with 1 and says in plain words what is wrong with a table', async () => {
    await madeTable(desk.client, 'someone-elses', 'id');
    const { exitCode, stdout } = await doctor('someone-elses');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^WRONG +key +its partition key must be "name", it is "id"$/m);
    expect(stdout).toMatch(/^WRONG +index +it lacks the index "byGroup"/m);
    if (desk.dynamo.capabilities.timeToLive) {
      expect(stdout).toMatch(/^WRONG +time to live +Time to Live is off: turn it on/m);
    }
  });

  it('says so when Time to Live is on for another attribute', async (test) => {
    if (!desk.dynamo.capabilities.timeToLive) return test.skip('the engine has no Time to Live');
    await commandHere([
      'table',
      'create',
      '--table',
      'odd-ttl',
      '--no-ttl',
      '--endpoint',
      desk.dynamo.endpoint,
    ]);
    const specification = { AttributeName: 'expiresAt', Enabled: true };
    await desk.client.send(
      new UpdateTimeToLiveCommand({ TableName: 'odd-ttl', TimeToLiveSpecification: specification }),
    );
    const { exitCode, stdout } = await doctor('odd-ttl');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^WRONG +time to live +.*"ttl", it is for "expiresAt"$/m);
  });

  it('ends with 1 and says how to make a table that is missing', async () => {
    const { exitCode, stdout } = await doctor('absent');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^WRONG +table +Table "absent" does not exist.*leasehold table create/m);
    expect(stdout).not.toContain('dynamodb:');
  });

  it('ends with 1 and one line when the store can’t be reached', async () => {
    const { exitCode, stdout } = await commandHere(['doctor', '--endpoint', 'http://127.0.0.1:9', '--json']);
    expect(exitCode).toBe(1);
    const { findings } = JSON.parse(stdout);
    expect(findings).toMatchObject([{ check: 'table', status: 'wrong' }]);
  });
});

describe('what doctor says of permissions', () => {
  it.each(actions)('names the action that is missing, and only that: %s', async (missing) => {
    await using server = await cannedServer((operation) =>
      operation === missing ? accessDenied : { status: 200, body: {} },
    );
    const findings = await permissionFindings(server.client, 'leases', new StoreClock(systemRuntime));
    const { check, status, message } = findings.find((finding) => finding.status !== 'ok')!;
    expect(check).toBe(`dynamodb:${missing}`);
    expect(status).toBe(['Scan', 'PutItem'].includes(missing) ? 'note' : 'wrong');
    expect(message).toMatch(/^not permitted.*needed/);
    expect(findings.filter((finding) => finding.status === 'ok')).toHaveLength(actions.length - 1);
    expect(server.asked).toEqual(actions);
  });

  it('tries a lock that may be used, and asks no more of who may use some names only', async () => {
    const keys: unknown[] = [];
    const optional = ['BatchGetItem', 'PutItem', 'Query', 'Scan'];
    await using server = await cannedServer((operation) =>
      optional.includes(operation) ? accessDenied : { status: 200, body: {} },
    );
    server.client.middlewareStack.add(
      (next) => async (args) => {
        keys.push((args.input as { Key?: unknown }).Key);
        return next(args);
      },
      { step: 'initialize' },
    );
    const clock = new StoreClock(systemRuntime);
    const findings = await permissionFindings(server.client, 'leases', clock, 'settlement/a');
    expect(findings.map(({ status }) => status).sort()).toEqual(['note', 'note', 'note', 'note', 'ok', 'ok']);
    expect(keys.slice(0, 2)).toEqual([{ name: { S: 'settlement/a' } }, { name: { S: 'settlement/a' } }]);
  });

  it('ends with 0 where there is only something to remark', async () => {
    const denied = ['DescribeTable', 'Scan', 'PutItem'];
    await using server = await cannedServer((operation) =>
      denied.includes(operation) ? accessDenied : { status: 200, body: {} },
    );
    const { hostname, port } = await server.client.config.endpoint!();
    const told = await commandHere(['doctor', '--json', '--endpoint', `http://${hostname}:${port}`]);
    const { healthy, findings } = JSON.parse(told.stdout);
    expect(findings.filter(({ status }: Finding) => status !== 'ok')).toMatchObject([
      ...['table', 'dynamodb:PutItem', 'dynamodb:Scan', 'tokens'].map((check) => ({ check, status: 'note' })),
    ]);
    expect({ exitCode: told.exitCode, healthy }).toEqual({ exitCode: 0, healthy: true });
  });

  it('does without the permission to describe the table, which no worker needs', async () => {
    await using server = await cannedServer(() => accessDenied);
    const report = await tableReport(server.client, 'leases');
    expect(report).toMatchObject({ reachable: true, findings: [{ check: 'table', status: 'note' }] });
  });
});

describe('what doctor says of replicas in other Regions', () => {
  const described = (more: object) => ({
    KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
    Replicas: [{ RegionName: 'eu-west-1' }, { RegionName: 'eu-west-2' }],
    ...more,
  });

  it('is wrong where they are eventually consistent', async () => {
    await using server = await cannedServer(() => ({ status: 200, body: { Table: described({}) } }));
    const { findings } = await tableReport(server.client, 'leases');
    const message = expect.stringMatching(/eu-west-1, eu-west-2.*would grant the same lock at once/);
    expect(findings).toContainEqual({ check: 'replicas', status: 'wrong', message });
  });

  it('lets strongly consistent ones do without Time to Live', async () => {
    const Table = described({ MultiRegionConsistency: 'STRONG' });
    await using server = await cannedServer(() => ({ status: 200, body: { Table } }));
    const { findings } = await tableReport(server.client, 'leases');
    expect(findings.map(({ check }) => check)).not.toContain('replicas');
    const message = expect.stringContaining('its sweeper deletes what has expired');
    expect(findings).toContainEqual({ check: 'time to live', status: 'note', message });
  });
});

describe('what doctor says of the clock', () => {
  /** A clock that saw responses of a store whose time is so far from this machine's. */
  function clockOff(offsetMs: number): StoreClock {
    const clock = new StoreClock(systemRuntime);
    clock.observe(clock.instant(), new Date(Date.now() + offsetMs).toUTCString());
    return clock;
  }

  it.each([
    ['a second', 1_000, 'ok', 'leases do not mind'],
    ['four minutes', -240_000, 'ok', 'leases do not mind'],
    ['an hour ahead', -3_600_000, 'wrong', 'ahead of the store'],
    ['an hour behind', 3_600_000, 'wrong', 'behind the store'],
  ])('%s off', (_what, offsetMs, status, words) => {
    const finding = clockFinding(clockOff(offsetMs), Date.now());
    expect(finding).toMatchObject({ check: 'clock', status, message: expect.stringContaining(words) });
  });

  it('is wrong when the store tells no time', () => {
    expect(clockFinding(new StoreClock(systemRuntime), Date.now()).status).toBe('wrong');
  });
});
