import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { beforeAll, describe, expect, it } from 'vitest';
import { LeaseTable } from '../../../lib/cdk/index.js';
import { createSweepHandler } from '../../../lib/lambda/index.js';
import { createLeaseTable, startDynamo } from '../../../lib/local/index.js';
import { appAsDeployed } from '../../support/cdk/synthesize.js';
import { type IamRequest, recordRequests, SimulatedAccount } from '../../support/iam/index.js';

const stack = new Stack(appAsDeployed(), 'Test', { env: { region: 'eu-central-1' } });
const leases = new LeaseTable(stack, 'Leases', { replicas: { regions: ['eu-west-1', 'eu-west-2'] } });
leases.grantUse(new Role(stack, 'Settler', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }), {
  names: ['settlement/*'],
});
const account = new SimulatedAccount(Template.fromStack(stack), { tables: { leases: 'LeasesTable' } });
const sweeper = account.role('LeasesSweeper');

let sent: readonly IamRequest[];

beforeAll(async () => {
  process.env.AWS_REGION ??= 'us-east-1';
  process.env.AWS_ACCESS_KEY_ID ??= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'local';
  await using dynamo = await startDynamo({ allowDocker: false });
  const client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, 'leases', { ttl: false });
  for (const name of ['settlement/old', 'scan/run-1/0']) {
    const Item = {
      name: { S: name },
      version: { N: '7' },
      ttl: { N: '1' },
      padding: { S: 'x'.repeat(390_000) },
    };
    for (const copy of ['a', 'b', 'c']) {
      const one = { ...Item, name: { S: `${name}/${copy}` } };
      await client.send(new PutItemCommand({ TableName: 'leases', Item: one }));
    }
  }
  client.destroy();
  await using recorder = await recordRequests({ dynamodb: dynamo.endpoint });
  const env = { LEASEHOLD_TABLE: 'leases', LEASEHOLD_DYNAMODB_ENDPOINT: recorder.endpoints.dynamodb };
  const sweep = createSweepHandler({ env, log: () => {} });
  const answer = await sweep({}, { getRemainingTimeInMillis: () => 600_000 });
  if (answer.deleted !== 6) throw new Error(`the sweep to be recorded ended as ${JSON.stringify(answer)}`);
  sent = account.iamRequests(recorder.requests);
});

describe("the sweeper's role", () => {
  it('may send every request that the function was recorded sending', async () => {
    const actions = [...new Set(sent.map(({ action }) => action))].sort();
    expect(actions).toEqual(
      expect.arrayContaining(['dynamodb:DeleteItem', 'dynamodb:Scan', 'dynamodb:UpdateItem']),
    );
    expect(await sweeper.denied(sent)).toEqual([]);
  });

  it('may write to no lock but its own', async () => {
    const updates = sent.filter(({ action }) => action === 'dynamodb:UpdateItem');
    const others = updates.map((one) => ({
      ...one,
      context: { 'dynamodb:LeadingKeys': ['settlement/old'] },
    }));
    expect(others.length).toBeGreaterThan(0);
    expect(await sweeper.allowed(others)).toEqual([]);
  });

  it('may use no other table, and do nothing else to this one', async () => {
    const elsewhere = sent.map((one) => ({
      ...one,
      resource: one.resource.replace(/table\/.+/, 'table/other'),
    }));
    expect(await sweeper.allowed(elsewhere)).toEqual([]);
    const resource = account.tableArn('leases');
    const unlisted = ['PutItem', 'BatchWriteItem', 'DeleteTable', 'UpdateTable', 'Query'].map((action) => ({
      action: `dynamodb:${action}`,
      resource,
      context: {},
    }));
    expect(await sweeper.allowed(unlisted)).toEqual([]);
  });
});

describe('a grant on a table with replicas', () => {
  it('holds in every Region that has a replica, and in no other', async () => {
    const update = (region: string, name: string): IamRequest => ({
      action: 'dynamodb:UpdateItem',
      resource: account.tableArn('leases').replace('eu-central-1', region),
      context: { 'dynamodb:LeadingKeys': [name] },
    });
    const settler = account.role('Settler');
    const regions = ['eu-central-1', 'eu-west-1', 'eu-west-2'];
    expect(await settler.denied(regions.map((region) => update(region, 'settlement/a')))).toEqual([]);
    expect(await settler.allowed(regions.map((region) => update(region, 'billing/a')))).toEqual([]);
    expect(await settler.may(update('us-east-1', 'settlement/a'))).toBe(false);
  });
});
