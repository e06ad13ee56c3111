import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { TableEncryptionV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { beforeAll, describe, expect, it } from 'vitest';
import { LeaseTable } from '../../../lib/cdk/index.js';
import type { LockClient } from '../../../lib/client/index.js';
import { LockHeldError } from '../../../lib/errors/index.js';
import { guardTransaction } from '../../../lib/fence/index.js';
import { pingName } from '../../../lib/table/index.js';
import { appAsDeployed, emptyStack } from '../../support/cdk/synthesize.js';
import { type IamRequest, SimulatedAccount } from '../../support/iam/index.js';
import { useRecordedClient } from '../../support/iam/recorded-client.js';

const stack = emptyStack();
const leases = new LeaseTable(stack, 'Leases');
const role = (id: string) => new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
const settlements = { names: ['settlement/*', 'nightly'], groups: ['settlement/*'] };
leases.grantUse(role('Settler'), settlements);
leases.grantUse(role('WithoutGroups'), { names: ['settlement/*'] });
leases.grantUse(role('Everywhere'));
leases.grantUse(role('Checker'), { names: ['settlement/*'], heldChecks: true });
leases.grantUse(role('Partner'), {
  semaphores: ['partner-api'],
  readWriteLocks: ['catalog'],
  fairLocks: ['printer', 'queue/*'],
});
leases.grantRead(role('Dashboard'));
leases.grantRead(role('SettlersDashboard'), settlements);
leases.grantBreak(role('Operator'));
leases.grantBreak(role('SettlersOperator'), settlements);
// biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable of IAM, which must not become one
leases.grantUse(role('Odd'), { names: ['odd?name$/*', '${aws:username}/*'] });
const account = new SimulatedAccount(Template.fromStack(stack), { tables: { leases: 'LeasesTable' } });
const settler = account.role('Settler');

/** Requests like these, and different in one respect. */
const withKeys = (requests: readonly IamRequest[], ...keys: string[]): IamRequest[] =>
  requests
    .filter(({ context }) => 'dynamodb:LeadingKeys' in context)
    .map((request) => ({ ...request, context: { 'dynamodb:LeadingKeys': keys } }));
const withoutKeys = (requests: readonly IamRequest[]): IamRequest[] =>
  requests.map((request) => ({ ...request, context: {} }));
const toTable = (requests: readonly IamRequest[], name: string): IamRequest[] =>
  requests.map((request) => ({
    ...request,
    resource: request.resource.replace(/table\/[^/]+/, `table/${name}`),
  }));
const toItem = (action: string, name?: string): IamRequest => ({
  action: `dynamodb:${action}`,
  resource: account.tableArn('leases'),
  context: name === undefined ? {} : { 'dynamodb:LeadingKeys': [name] },
});
const actionsOf = (requests: readonly IamRequest[]) =>
  [...new Set(requests.map(({ action }) => action))].sort();
const granted = (start: string) =>
  [
    ...new Set(
      account
        .role(start)
        .policies.flatMap(({ policy }) =>
          (policy as { Statement: { Action: string | string[] }[] }).Statement.flatMap(
            ({ Action }) => Action,
          ),
        ),
    ),
  ].sort();

const recorded = useRecordedClient();
let use: readonly IamRequest[];
let look: readonly IamRequest[];
let lookAtAll: readonly IamRequest[];
let operate: readonly IamRequest[];

/** All that workers do with locks. */
async function everyUse(locks: LockClient): Promise<void> {
  const lease = await locks.acquire('settlement/batch-7', { group: 'settlement/today', owner: 'worker-1' });
  await lease.save({ line: 17 });
  await expect(locks.acquire('settlement/batch-7', { waitMs: 120 })).rejects.toThrow(LockHeldError);
  const again = await locks.acquire('settlement/batch-7', { owner: 'worker-1', supersede: true });
  await again.release();
  expect(await lease.release()).toBe('lost');
  await locks.once('settlement/once', async () => 42);
  await locks.once('settlement/once', async () => 43);
  await locks.cronSlot('nightly', new Date(), async () => {});
  await (await locks.claimNext(['settlement/once', 'settlement/batch-8']))?.release();
  await listed(locks, 'settlement/today');
}

async function listed(locks: LockClient, group?: string): Promise<void> {
  for await (const info of locks.list({ group })) expect(info.name).not.toBe('');
}

beforeAll(async () => {
  use = account.iamRequests(await recorded.sent(everyUse));
  look = account.iamRequests(
    await recorded.sent(async (locks) => {
      await locks.inspect('settlement/batch-7');
      await listed(locks, 'settlement/today');
    }),
  );
  lookAtAll = account.iamRequests(await recorded.sent((locks) => listed(locks)));
  operate = account.iamRequests(
    await recorded.sent(async (locks) => {
      const lease = await locks.acquire('settlement/batch-9', { group: 'settlement/today' });
      await locks.break('settlement/batch-9', lease.leaseId);
      await locks.reopen('settlement/once');
    }),
  );
});

describe('grantUse with names and groups', () => {
  it('allows every request that a worker was recorded sending', async () => {
    expect(actionsOf(use)).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ]);
    expect(await settler.denied(use)).toEqual([]);
  });

  it('allows no action that was never sent', () => {
    expect(granted('Settler')).toEqual(actionsOf(use));
  });

  it('denies the same requests for a name outside the grant', async () => {
    expect(await settler.allowed(withKeys(use, 'billing/batch-7'))).toEqual([]);
    expect(await settler.allowed(withKeys(use, 'settlement'))).toEqual([]);
    expect(await settler.allowed(withKeys(use, 'nightly/too'))).toEqual([]);
  });

  it('denies a batch in which one name lies outside', async () => {
    expect(await settler.allowed(withKeys(use, 'settlement/batch-7', 'billing/batch-7'))).toEqual([]);
  });

  it('denies what names no key at all, of which "all keys" would be true', async () => {
    expect(await settler.allowed(withoutKeys(use))).toEqual([]);
  });

  it("denies another team's group, and a group that only a name allows", async () => {
    const queries = use.filter(({ action }) => action === 'dynamodb:Query');
    expect(queries).toHaveLength(1);
    expect(await settler.allowed(withKeys(queries, 'billing/today'))).toEqual([]);
    expect(await settler.allowed(withKeys(queries, 'nightly'))).toEqual([]);
  });

  it('denies another table', async () => {
    expect(await settler.allowed(toTable(use, 'other'))).toEqual([]);
  });

  it('allows the item of the first request to be read, not written', async () => {
    expect(use.map(({ context }) => context['dynamodb:LeadingKeys'])).toContainEqual([pingName]);
    expect(await settler.may(toItem('UpdateItem', pingName))).toBe(false);
  });

  it('denies actions that are not on the list', async () => {
    const own = 'settlement/batch-7';
    const unlisted = [
      ...['PutItem', 'DeleteItem', 'ConditionCheckItem', 'PartiQLSelect', 'PartiQLUpdate'].map((action) =>
        toItem(action, own),
      ),
      ...['BatchWriteItem', 'Scan', 'DeleteTable', 'UpdateTable', 'UpdateTimeToLive', 'DescribeTable'].map(
        (action) => toItem(action),
      ),
    ];
    expect(await settler.allowed(unlisted)).toEqual([]);
  });

  it('without groups nothing can be listed', async () => {
    const refused = await account.role('WithoutGroups').denied(use);
    expect(refused.map((request) => request.split(' ')[0])).toEqual(
      expect.arrayContaining(['dynamodb:Query', 'dynamodb:BatchGetItem']),
    );
    expect(granted('WithoutGroups')).toEqual(['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  });

  it('takes characters that mean something to IAM for themselves', async () => {
    const odd = account.role('Odd');
    expect(await odd.denied([toItem('UpdateItem', 'odd?name$/x')])).toEqual([]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    expect(await odd.denied([toItem('UpdateItem', '${aws:username}/x')])).toEqual([]);
    expect(await odd.allowed([toItem('UpdateItem', 'oddXname$/x'), toItem('UpdateItem', 'role/x')])).toEqual(
      [],
    );
  });
});

describe('grantUse without names', () => {
  it('allows the same for every name, and not more', async () => {
    const everywhere = account.role('Everywhere');
    expect(await everywhere.denied([...use, ...withKeys(use, 'billing/batch-7')])).toEqual([]);
    expect(granted('Everywhere')).toEqual(actionsOf(use));
    expect(
      await everywhere.allowed([...toTable(use, 'other'), toItem('Scan'), toItem('DeleteItem', 'a')]),
    ).toEqual([]);
  });
});

describe("grantUse with heldChecks: the lease's own item in somebody's transaction", () => {
  it('allows the check of its own name only', async () => {
    const transaction = await recorded.sent(async (locks, client) => {
      const lease = await locks.acquire('settlement/checked');
      const command = guardTransaction(
        lease,
        { TransactItems: [{ Put: { TableName: 'rows', Item: { id: 'row-1' } } }] },
        { leaseTable: 'leases' },
      );
      // There is no such table: what is asked for is on record all the same.
      await expect(DynamoDBDocumentClient.from(client).send(command)).rejects.toThrow();
      await lease.release();
    });
    const checks = account
      .iamRequests(transaction)
      .filter(({ action }) => action === 'dynamodb:ConditionCheckItem');
    expect(checks).toHaveLength(1);
    expect(await account.role('Checker').denied(checks)).toEqual([]);
    expect(await account.role('Checker').allowed(withKeys(checks, 'billing/checked'))).toEqual([]);
    expect(await settler.allowed(checks)).toEqual([]);
  });
});

describe('grantRead', () => {
  it('allows all that inspect and list send, of the whole table', async () => {
    const dashboard = account.role('Dashboard');
    expect(await dashboard.denied([...look, ...lookAtAll])).toEqual([]);
    expect(granted('Dashboard')).toEqual(actionsOf([...look, ...lookAtAll]));
  });

  it('with names only theirs; all of the table is then out of reach', async () => {
    const dashboard = account.role('SettlersDashboard');
    expect(await dashboard.denied(look)).toEqual([]);
    expect(await dashboard.allowed(withKeys(look, 'billing/batch-7'))).toEqual([]);
    expect(actionsOf(lookAtAll)).toContain('dynamodb:Scan');
    expect(await dashboard.may(toItem('Scan'))).toBe(false);
  });

  it('allows no write', async () => {
    const writes = [...use, ...operate].filter(({ action }) => action === 'dynamodb:UpdateItem');
    expect(writes.length).toBeGreaterThan(0);
    expect(await account.role('Dashboard').allowed(writes)).toEqual([]);
    expect(await account.role('Dashboard').allowed(toTable(look, 'other'))).toEqual([]);
  });
});

describe('grantBreak', () => {
  it('allows all that inspect, list, break and reopen send', async () => {
    const all = [...look, ...lookAtAll, ...operate];
    expect(await account.role('Operator').denied(all)).toEqual([]);
    expect(granted('Operator')).toEqual(actionsOf(all));
  });

  it('with names only theirs', async () => {
    const operator = account.role('SettlersOperator');
    expect(await operator.denied([...look, ...operate])).toEqual([]);
    expect(await operator.allowed(withKeys([...look, ...operate], 'billing/batch-7'))).toEqual([]);
    expect(await operator.allowed([toItem('Scan'), toItem('PutItem', 'settlement/batch-7')])).toEqual([]);
  });
});

describe("a customer's key", () => {
  it('is granted along with the table: what the table is used for, and no other key', async () => {
    const own = new Stack(appAsDeployed(), 'Test', { env: { region: 'eu-central-1' } });
    const key = new Key(own, 'Key', { removalPolicy: RemovalPolicy.DESTROY });
    const table = new LeaseTable(own, 'Leases', { encryption: TableEncryptionV2.customerManagedKey(key) });
    const user = new Role(own, 'User', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const viewer = new Role(own, 'Viewer', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    table.grantUse(user, { names: ['settlement/*'] });
    table.grantRead(viewer);
    const simulated = new SimulatedAccount(Template.fromStack(own));
    const onKey = (action: string, name: string): IamRequest => ({
      action: `kms:${action}`,
      resource: `arn:aws:kms:eu-central-1:123456789012:key/${name}`,
      context: {},
    });
    const id = simulated.idOf('Key');
    expect(await simulated.role('User').denied([onKey('Decrypt', id), onKey('GenerateDataKey', id)])).toEqual(
      [],
    );
    expect(await simulated.role('Viewer').denied([onKey('Decrypt', id)])).toEqual([]);
    expect(await simulated.role('Viewer').allowed([onKey('Encrypt', id), onKey('Decrypt', 'other')])).toEqual(
      [],
    );
  });
});

describe('grantUse with what the lock kit is made of', () => {
  const partner = account.role('Partner');

  it('allows every request that a semaphore, a read-write lock and a line were recorded sending', async () => {
    const requests = account.iamRequests(
      await recorded.sent(async (locks) => {
        const semaphore = locks.semaphore('partner-api', { permits: 12 });
        const permits = [];
        for (let i = 0; i < 12; i++) permits.push(await semaphore.acquire());
        expect(await semaphore.tryAcquire()).toBeNull();
        for (const permit of permits) await permit.release();
        const catalog = locks.readWriteLock('catalog', { readers: 2 });
        await catalog.read(async () => {});
        await catalog.write(async () => {});
        for (const name of ['printer', 'queue/7']) {
          const lease = await locks.acquire(name, { fair: true });
          await expect(locks.acquire(name, { fair: true, waitMs: 100 })).rejects.toThrow(LockHeldError);
          await lease.release();
        }
      }),
    );
    expect(actionsOf(requests)).toContain('dynamodb:BatchGetItem');
    expect(await partner.denied(requests)).toEqual([]);
  });

  it('allows no other names: neither the plain ones, nor permits past a hundred, nor all locks', async () => {
    const others = [
      'partner-api',
      'partner-api#100',
      'partner-api#w',
      'partner-apis#1',
      'catalog',
      'catalog#r',
      'catalog#wx',
    ];
    const names = [...others, 'printers', 'printer\u001flines', 'queue', 'nightly'];
    const wrong = names.flatMap((name) =>
      ['GetItem', 'UpdateItem', 'BatchGetItem'].map((action) => toItem(action, name)),
    );
    expect(await partner.allowed([...wrong, toItem('Scan'), toItem('BatchGetItem')])).toEqual([]);
  });
});
