import { Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { LeaseTable, SliceScan } from '../../../lib/cdk/index.js';
import { emptyStack } from '../../support/cdk/synthesize.js';
import { type IamRequest, SimulatedAccount, type SimulatedRole } from '../../support/iam/index.js';
import { recordedScan } from '../../support/iam/recorded-scan.js';

const stack = emptyStack();
new SliceScan(stack, 'Scan', {
  bucket: Bucket.fromBucketName(stack, 'Data', 'data'),
  prefix: 'logs/',
  leases: new LeaseTable(stack, 'Leases'),
  readObjects: true,
  output: { bucket: Bucket.fromBucketName(stack, 'Out', 'out'), prefix: 'results/' },
  ledger: Table.fromTableName(stack, 'Ledger', 'ledger'),
});
const account = new SimulatedAccount(Template.fromStack(stack), { tables: { leases: 'LeasesTable' } });
const functions = ['plan', 'work', 'verify'] as const;

/** The role of a function, whatever part of its name follows. */
const roleOf = (name: (typeof functions)[number]): SimulatedRole =>
  account.role(`Scan${name.charAt(0).toUpperCase()}${name.slice(1)}`);

let sent: Readonly<Record<(typeof functions)[number], readonly IamRequest[]>>;
let all: readonly IamRequest[];

beforeAll(async () => {
  process.env.AWS_REGION ??= 'us-east-1';
  process.env.AWS_ACCESS_KEY_ID ??= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'local';
  const recorded = await recordedScan();
  sent = {
    plan: account.iamRequests(recorded.plan),
    work: account.iamRequests(recorded.work),
    verify: account.iamRequests(recorded.verify),
  };
  all = functions.flatMap((name) => sent[name]);
});

const replaced = (requests: readonly IamRequest[], from: RegExp, to: string): IamRequest[] =>
  requests
    .filter(({ resource }) => from.test(resource))
    .map((request) => ({ ...request, resource: request.resource.replace(from, to) }));
const ofTable = (requests: readonly IamRequest[], table: RegExp) =>
  requests.filter(({ action, resource }) => action.startsWith('dynamodb:') && table.test(resource));
const withKeys = (requests: readonly IamRequest[], ...keys: string[]): IamRequest[] =>
  requests.map((request) => ({ ...request, context: { 'dynamodb:LeadingKeys': keys } }));
const listing = (requests: readonly IamRequest[], context: IamRequest['context']): IamRequest[] =>
  requests.filter(({ action }) => action === 's3:ListBucket').map((request) => ({ ...request, context }));
const actions = (requests: readonly IamRequest[]) =>
  [...new Set(requests.map(({ action }) => action))].sort();

it('what was recorded is a whole scan', () => {
  expect(actions(sent.plan)).toEqual(['dynamodb:GetItem', 'dynamodb:PutItem', 's3:ListBucket']);
  expect(actions(sent.work)).toEqual(
    expect.arrayContaining([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
    ]),
  );
  // A slice was handed over: its partial result was read.
  expect(replaced(sent.work, /:::out\//, ':::out/').map(({ action }) => action)).toContain('s3:GetObject');
  expect(actions(sent.verify)).toEqual(expect.arrayContaining(['dynamodb:BatchGetItem', 's3:GetObject']));
});

describe.each(functions)('the role of %s', (name) => {
  it('may send every request that the function was recorded sending', async () => {
    expect(sent[name].length).toBeGreaterThan(0);
    expect(await roleOf(name).denied(sent[name])).toEqual([]);
  });

  it("may touch none of the table's other locks", async () => {
    const table = ofTable(sent[name], /Leases/);
    expect(await roleOf(name).allowed(withKeys(table, 'settlement/batch-7'))).toEqual([]);
    expect(await roleOf(name).allowed(withKeys(table, 'scan/run-1', 'settlement/batch-7'))).toEqual([]);
  });

  it('may use no other table', async () => {
    expect(await roleOf(name).allowed(replaced(all, /table\/[^/]+/, 'table/other'))).toEqual([]);
  });

  it('may read, write and list nothing outside its prefixes', async () => {
    const role = roleOf(name);
    expect(await role.allowed(replaced(all, /:::data\/logs\//, ':::data/secrets/'))).toEqual([]);
    expect(await role.allowed(replaced(all, /:::out\/results\//, ':::out/other/'))).toEqual([]);
    expect(await role.allowed(replaced(all, /:::(data|out)\b/, ':::foreign'))).toEqual([]);
    expect(await role.allowed(listing(all, { 's3:prefix': 'secrets/' }))).toEqual([]);
    expect(await role.allowed(listing(all, { 's3:prefix': '' }))).toEqual([]);
    expect(await role.allowed(listing(all, {}))).toEqual([]);
  });

  it('may do nothing that is not on its list', async () => {
    const on = (action: string, resource: string, context: IamRequest['context'] = {}): IamRequest => ({
      action,
      resource,
      context,
    });
    const leases = account.tableArn('leases');
    const key = { 'dynamodb:LeadingKeys': ['scan/run-1'] };
    const unlisted = [
      on('dynamodb:DeleteItem', leases, key),
      on('dynamodb:Scan', leases),
      on('dynamodb:BatchWriteItem', leases),
      on('dynamodb:DeleteTable', leases),
      on('dynamodb:UpdateTable', leases),
      on('dynamodb:DeleteItem', account.tableArn('ledger'), { 'dynamodb:LeadingKeys': ['scan/run-1/0'] }),
      on('s3:PutObject', 'arn:aws:s3:::data/logs/a/object-1.txt'),
      on('s3:DeleteObject', 'arn:aws:s3:::data/logs/a/object-1.txt'),
      on('s3:DeleteObject', 'arn:aws:s3:::out/results/run-1/x'),
      on('s3:ListBucket', 'arn:aws:s3:::out', { 's3:prefix': 'results/' }),
      on('s3:DeleteBucket', 'arn:aws:s3:::data'),
      on('s3:PutBucketPolicy', 'arn:aws:s3:::data'),
    ];
    expect(await roleOf(name).allowed(unlisted)).toEqual([]);
  });
});

describe('what one function may and another may not', () => {
  it('only the worker reads objects, writes output and keeps the ledger', async () => {
    const reads = sent.work.filter(({ resource }) => resource.includes(':::data/logs/'));
    const writes = sent.work.filter(({ action }) => action === 's3:PutObject');
    const ledger = ofTable(sent.work, /table\/ledger/);
    for (const requests of [reads, writes, ledger]) expect(requests.length).toBeGreaterThan(0);
    for (const name of ['plan', 'verify'] as const) {
      expect(await roleOf(name).allowed([...reads, ...writes, ...ledger])).toEqual([]);
    }
  });

  it('verify lists nothing, plan reads no results', async () => {
    expect(await roleOf('verify').allowed(listing(all, { 's3:prefix': 'logs/' }))).toEqual([]);
    const results = sent.verify.filter(({ action }) => action === 's3:GetObject');
    expect(results.length).toBeGreaterThan(0);
    expect(await roleOf('plan').allowed(results)).toEqual([]);
  });
});
