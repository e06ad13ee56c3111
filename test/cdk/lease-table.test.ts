import { RemovalPolicy } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { LeaseTable } from '../../lib/cdk/index.js';
import { emptyStack, statementsOf } from './synthesize.js';

describe('the table of leases', () => {
  const stack = emptyStack();
  new LeaseTable(stack, 'Leases');
  const template = Template.fromStack(stack);

  it('has the key, the index and the TTL attribute that the client relies on', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
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
    });
  });

  it('is kept: retention, deletion protection, point-in-time recovery', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      },
    });
  });

  it('goes when told to', () => {
    const other = emptyStack();
    new LeaseTable(other, 'Leases', { removalPolicy: RemovalPolicy.DESTROY, deletionProtection: false });
    Template.fromStack(other).hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
  });
});

it('grantUse allows the client to work, and nothing else', () => {
  const stack = emptyStack();
  const leases = new LeaseTable(stack, 'Leases');
  leases.grantUse(new Role(stack, 'User', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
  const statements = statementsOf(Template.fromStack(stack), 'User');
  const table = expect.objectContaining({ 'Fn::GetAtt': [expect.stringMatching(/^LeasesTable/), 'Arn'] });
  expect(statements).toEqual({
    'dynamodb:BatchGetItem dynamodb:GetItem dynamodb:UpdateItem': expect.objectContaining({
      Effect: 'Allow',
      Resource: table,
    }),
    'dynamodb:Query': expect.objectContaining({
      Effect: 'Allow',
      Resource: { 'Fn::Join': ['', [table, '/index/byGroup']] },
    }),
  });
});
