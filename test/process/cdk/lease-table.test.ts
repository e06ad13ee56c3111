import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { TableEncryptionV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { LeaseTable, type LeaseTableProps } from '../../../lib/cdk/index.js';
import { appAsDeployed, emptyStack, statementsOf } from '../../support/cdk/synthesize.js';

const tableType = 'AWS::DynamoDB::GlobalTable';

function templateOf(props: LeaseTableProps = {}, stack = emptyStack()): Template {
  new LeaseTable(stack, 'Leases', props);
  return Template.fromStack(stack);
}

const role = (stack: Stack, id = 'User') =>
  new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });

describe('the table of leases', () => {
  const template = templateOf();

  it('has the key, the index and the TTL attribute that the client relies on', () => {
    template.hasResourceProperties(tableType, {
      KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
      AttributeDefinitions: Match.arrayWith([
        { AttributeName: 'name', AttributeType: 'S' },
        { AttributeName: 'group', AttributeType: 'S' },
      ]),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byGroup',
          KeySchema: [
            { AttributeName: 'group', KeyType: 'HASH' },
            { AttributeName: 'name', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
      TableName: Match.absent(),
      SSESpecification: Match.absent(),
      MultiRegionConsistency: Match.absent(),
    });
  });

  it('is kept: retention, deletion protection, point-in-time recovery', () => {
    template.hasResource(tableType, {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        Replicas: [
          {
            Region: { Ref: 'AWS::Region' },
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            GlobalSecondaryIndexes: [{ IndexName: 'byGroup' }],
          },
        ],
      },
    });
  });

  it('is all there is: TTL needs no sweeper', () => {
    expect(Object.values(template.toJSON().Resources)).toHaveLength(1);
  });

  it('goes when told to', () => {
    templateOf({ removalPolicy: RemovalPolicy.DESTROY, deletionProtection: false }).hasResource(tableType, {
      DeletionPolicy: 'Delete',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: false })] },
    });
  });

  it('has the name that it is given', () => {
    templateOf({ tableName: 'locks' }).hasResourceProperties(tableType, { TableName: 'locks' });
  });

  it('can do without point-in-time recovery', () => {
    templateOf({ pointInTimeRecovery: false }).hasResourceProperties(tableType, {
      Replicas: [
        Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } }),
      ],
    });
  });

  it('shows throttled names in Contributor Insights when asked to', () => {
    templateOf({ contributorInsights: true }).hasResourceProperties(tableType, {
      Replicas: [
        Match.objectLike({ ContributorInsightsSpecification: { Enabled: true, Mode: 'THROTTLED_KEYS' } }),
      ],
    });
  });

  it("can be encrypted with a customer's key, which grants bring along", () => {
    const stack = new Stack(appAsDeployed(), 'Test', { env: { region: 'eu-central-1' } });
    const encryption = TableEncryptionV2.customerManagedKey(new Key(stack, 'Key'));
    new LeaseTable(stack, 'Leases', { encryption }).grantUse(role(stack), { names: ['a/*'] });
    const template = Template.fromStack(stack);
    template.hasResourceProperties(tableType, {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [Match.objectLike({ SSESpecification: { KMSMasterKeyId: Match.anyValue() } })],
    });
    const onKey = statementsOf(template, 'User')[
      'kms:Decrypt kms:Encrypt kms:GenerateDataKey* kms:ReEncrypt*'
    ];
    expect(onKey?.Resource).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] });
  });
});

describe('what grants allow', () => {
  const table = expect.objectContaining({ 'Fn::GetAtt': [expect.stringMatching(/^LeasesTable/), 'Arn'] });
  const index = { 'Fn::Join': ['', [table, '/index/byGroup']] };
  const only = (...patterns: string[]) => ({
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  });

  function statements(grant: (leases: LeaseTable, user: Role) => void) {
    const stack = emptyStack();
    grant(new LeaseTable(stack, 'Leases'), role(stack));
    const template = Template.fromStack(stack);
    const [policy] = Object.values(template.findResources('AWS::IAM::Policy'));
    return policy!.Properties.PolicyDocument.Statement as Record<string, unknown>[];
  }

  it('grantUse without names: the whole table and its index, and nothing that the client does not send', () => {
    expect(statements((leases, user) => leases.grantUse(user))).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
        Resource: table,
      },
      { Effect: 'Allow', Action: 'dynamodb:Query', Resource: index },
    ]);
  });

  it('grantUse with names: two actions on them, and the item of the first request to read', () => {
    expect(
      statements((leases, user) => leases.grantUse(user, { names: ['settlement/*', 'nightly'] })),
    ).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
        Resource: table,
        Condition: only('settlement/*', 'nightly'),
      },
      { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table, Condition: only('leasehold/ping') },
    ]);
  });

  it('grantUse with groups: the index by the groups, batches by the names', () => {
    const granted = statements((leases, user) =>
      leases.grantUse(user, { names: ['settlement/*'], groups: ['today'] }),
    );
    expect(granted[0]).toMatchObject({
      Action: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Condition: only('settlement/*'),
    });
    expect(granted[2]).toEqual({
      Effect: 'Allow',
      Action: 'dynamodb:Query',
      Resource: index,
      Condition: only('today'),
    });
  });

  it('grantUse with scans, and with heldChecks: one action more each', () => {
    const names = ['a/*'];
    expect(statements((leases, user) => leases.grantUse(user, { names, scans: true }))[0]!.Action).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ]);
    expect(
      statements((leases, user) => leases.grantUse(user, { names, heldChecks: true }))[0]!.Action,
    ).toEqual(['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem']);
  });

  it('grantRead: no write; a scan of the table only without names', () => {
    const everything = statements((leases, user) => leases.grantRead(user));
    expect(everything.map(({ Action }) => Action)).toEqual([
      ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Scan'],
      'dynamodb:Query',
    ]);
    const some = statements((leases, user) => leases.grantRead(user, { names: ['a/*'] }));
    expect(some.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      ['dynamodb:GetItem', only('a/*')],
      ['dynamodb:GetItem', only('leasehold/ping')],
    ]);
  });

  it('grantBreak: as grantRead, and the update', () => {
    const everything = statements((leases, user) => leases.grantBreak(user));
    expect(everything[0]!.Action).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:Scan',
      'dynamodb:UpdateItem',
    ]);
  });

  it('escapes what IAM would read as a wildcard or a variable', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable of IAM, and IAM's own escapes
    const [odd, escaped] = ['${aws:userid}?/*', '${$}{aws:userid}${?}/*'];
    const granted = statements((leases, user) => leases.grantUse(user, { names: [odd] }));
    expect(granted[0]!.Condition).toEqual(only(escaped));
  });

  it.each([
    [{ names: [] }, 'names: must be a list of names such as'],
    [{ names: ['*'] }, 'names: "*" alone is every name; leave names out for that, got "*"'],
    [{ names: ['a*b'] }, 'names: a "*" may stand only at the end, got "a*b"'],
    [{ names: ['a/**'] }, 'names: a "*" may stand only at the end, got "a/**"'],
    [
      { names: [''] },
      'names: must be 1 to 1024 bytes of well-formed UTF-8 without control characters, got ""',
    ],
    [
      { names: ['a\u0000'] },
      'names: must be 1 to 1024 bytes of well-formed UTF-8 without control characters, got "a\\u0000"',
    ],
    [{ names: [7 as never] }, 'names: must be strings, got 7'],
    [{ names: 'settlement/*' as never }, 'got "settlement/*"; leave names out to allow all of them'],
    [{ names: ['a'], groups: ['b*c'] }, 'groups: a "*" may stand only at the end, got "b*c"'],
    [
      { names: ['x'.repeat(1_025)] },
      'names: must be 1 to 1024 bytes of well-formed UTF-8 without control characters',
    ],
  ])('refuses %j', (scope, message) => {
    const stack = emptyStack();
    const leases = new LeaseTable(stack, 'Leases');
    expect(() => leases.grantUse(role(stack), scope)).toThrow(message);
    expect(() => leases.grantRead(role(stack, 'Reader'), scope)).toThrow(message);
    expect(() => leases.grantBreak(role(stack, 'Operator'), scope)).toThrow(message);
  });
});

describe('a table that exists', () => {
  it('by its name: in the account and Region of the stack', () => {
    const stack = emptyStack();
    const leases = LeaseTable.fromTableName(stack, 'Leases', 'locks');
    leases.grantUse(role(stack), { names: ['settlement/*'] });
    expect(leases.tableName).toBe('locks');
    const template = Template.fromStack(stack);
    expect(template.findResources(tableType)).toEqual({});
    expect(statementsOf(template, 'User')['dynamodb:GetItem dynamodb:UpdateItem']?.Resource).toEqual({
      'Fn::Join': [
        '',
        [
          'arn:',
          { Ref: 'AWS::Partition' },
          ':dynamodb:',
          { Ref: 'AWS::Region' },
          ':',
          { Ref: 'AWS::AccountId' },
          ':table/locks',
        ],
      ],
    });
  });

  it('by its ARN, and only by one of a table', () => {
    const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/locks';
    const leases = LeaseTable.fromTableArn(emptyStack(), 'Leases', arn);
    expect(leases).toMatchObject({ tableName: 'locks', tableArn: arn });
    expect(() => LeaseTable.fromTableArn(emptyStack(), 'Leases', 'arn:aws:s3:::locks')).toThrow(
      /^tableArn: must be the ARN of a table/,
    );
  });
});

describe('metrics', () => {
  const stack = emptyStack();
  const leases = new LeaseTable(stack, 'Leases');

  it.each([
    ['ConsumedReadCapacityUnits', leases.metricConsumedReadUnits()],
    ['ConsumedWriteCapacityUnits', leases.metricConsumedWriteUnits()],
    ['ConditionalCheckFailedRequests', leases.metricConditionalCheckFailedRequests()],
    ['OnlineIndexPercentageProgress', leases.metric('OnlineIndexPercentageProgress')],
  ])('%s is a sum of the table', (metricName, metric) => {
    expect(stack.resolve(metric.toMetricConfig().metricStat)).toMatchObject({
      namespace: 'AWS/DynamoDB',
      metricName,
      statistic: 'Sum',
      dimensions: [{ name: 'TableName', value: { Ref: expect.stringMatching(/^LeasesTable/) } }],
    });
  });

  it.each([
    ['ThrottledRequests', leases.metricThrottledRequests()],
    ['SystemErrors', leases.metricSystemErrors()],
  ])('%s are those of every operation that the product sends', (metricName, metric) => {
    const { usingMetrics } = metric.toMetricConfig().mathExpression!;
    const operations = Object.values(usingMetrics).map((one) => {
      const { dimensions, ...stat } = one.toMetricConfig().metricStat!;
      expect(stat.metricName).toBe(metricName);
      return dimensions!.find(({ name }) => name === 'Operation')!.value;
    });
    expect(operations.sort()).toEqual([
      'BatchGetItem',
      'DeleteItem',
      'GetItem',
      'PutItem',
      'Query',
      'Scan',
      'UpdateItem',
    ]);
  });

  it('the latency is that of the write that grants, unless told otherwise', () => {
    const dimensions = (metric: ReturnType<typeof leases.metricSuccessfulRequestLatency>) =>
      metric.toMetricConfig().metricStat!.dimensions!.find(({ name }) => name === 'Operation')!.value;
    expect(dimensions(leases.metricSuccessfulRequestLatency())).toBe('UpdateItem');
    const reads = leases.metricSuccessfulRequestLatency({ dimensionsMap: { Operation: 'GetItem' } });
    expect(dimensions(reads)).toBe('GetItem');
  });
});
