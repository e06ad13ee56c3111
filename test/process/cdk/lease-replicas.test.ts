import { type App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { MultiRegionConsistency, TableEncryptionV2, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { LeaseTable, type LeaseTableProps } from '../../../lib/cdk/index.js';
import { hashless } from '../../support/cdk/hashless.js';
import { nagFindings } from '../../support/cdk/nag.js';
import { appAsDeployed, emptyStack, statementsOf } from '../../support/cdk/synthesize.js';

const tableType = 'AWS::DynamoDB::GlobalTable';
const replicas = { regions: ['eu-west-1', 'eu-west-2'] };

const inEurope = (app: App = appAsDeployed()) => new Stack(app, 'Test', { env: { region: 'eu-central-1' } });

function templateOf(props: LeaseTableProps): Template {
  const stack = inEurope();
  new LeaseTable(stack, 'Leases', props);
  return Template.fromStack(stack);
}

const made = (props: LeaseTableProps, stack: Stack = inEurope()) => new LeaseTable(stack, 'Leases', props);

describe('a table with replicas', () => {
  it('is strongly consistent over three Regions, kept in each, and has no TTL', () => {
    const kept = (Region: string) =>
      Match.objectLike({
        Region,
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
    templateOf({ replicas }).hasResourceProperties(tableType, {
      MultiRegionConsistency: 'STRONG',
      Replicas: Match.arrayWith(['eu-west-1', 'eu-west-2', 'eu-central-1'].map(kept)),
      TimeToLiveSpecification: Match.absent(),
      LocalSecondaryIndexes: Match.absent(),
      BillingMode: 'PAY_PER_REQUEST',
      GlobalTableWitnesses: Match.absent(),
    });
  });

  it('may have a witness in the place of the third', () => {
    const template = templateOf({ replicas: { regions: ['eu-west-1'], witness: 'eu-west-2' } });
    template.hasResourceProperties(tableType, {
      MultiRegionConsistency: 'STRONG',
      GlobalTableWitnesses: [{ Region: 'eu-west-2' }],
    });
    const [table] = Object.values(template.findResources(tableType));
    expect(table!.Properties.Replicas).toHaveLength(2);
  });

  it('has a sweeper, on a schedule and with its settings', () => {
    const template = templateOf({
      replicas,
      sweeper: {
        every: Duration.hours(12),
        deletesPerSecond: 25,
        runtime: Runtime.NODEJS_22_X,
        logRetention: RetentionDays.ONE_WEEK,
      },
    });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs22.x',
      Architectures: ['arm64'],
      Timeout: 900,
      Environment: {
        Variables: {
          LEASEHOLD_TABLE: { Ref: Match.stringLikeRegexp('^LeasesTable') },
          LEASEHOLD_DELETES_PER_SECOND: '25',
        },
      },
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(12 hours)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('Sweeper'), 'Arn'] } })],
    });
    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  });

  it('the sweeper has defaults', () => {
    const template = templateOf({ replicas });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Environment: { Variables: { LEASEHOLD_DELETES_PER_SECOND: '100' } },
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(6 hours)' });
    template.hasResource('AWS::Logs::LogGroup', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { RetentionInDays: 30 },
    });
  });

  it("grants hold for the table in each Region, and for a customer's keys there", () => {
    const stack = inEurope();
    const toKey = (region: string) => `arn:aws:kms:${region}:123456789012:key/${region}`;
    const leases = made(
      {
        replicas,
        encryption: TableEncryptionV2.customerManagedKey(new Key(stack, 'Key'), {
          'eu-west-1': toKey('eu-west-1'),
          'eu-west-2': toKey('eu-west-2'),
        }),
      },
      stack,
    );
    const user = new Role(stack, 'User', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    leases.grantRead(user, { names: ['a/*'] });
    const template = Template.fromStack(stack);
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    for (const region of replicas.regions) expect(policies).toContain(`:dynamodb:${region}:`);
    const granted = Object.values(statementsOf(template, 'User')).map(({ Action, Resource }) =>
      JSON.stringify({ Action, Resource }),
    );
    expect(granted.find((one) => one.includes(toKey('eu-west-1')))).toContain('kms:Decrypt');
    expect(granted.join()).not.toContain('kms:Encrypt');
  });

  it('has no transactions, so that nobody is granted a check in one', () => {
    const stack = inEurope();
    const user = new Role(stack, 'User', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    expect(() => made({ replicas }, stack).grantUse(user, { heldChecks: true })).toThrow(
      'heldChecks: a strongly consistent global table has no transactions',
    );
  });
});

it('cdk-nag has nothing to say, with every option and grant', () => {
  const stack = inEurope();
  const key = new Key(stack, 'Key', { enableKeyRotation: true });
  const keys = Object.fromEntries(
    replicas.regions.map((region) => [region, `arn:aws:kms:${region}:123456789012:key/${region}`]),
  );
  const encryption = TableEncryptionV2.customerManagedKey(key, keys);
  made({ replicas, encryption, contributorInsights: true }, stack);
  expect(nagFindings(stack)).toEqual([]);
});

it('is what it was, with every option', () => {
  const template = templateOf({ replicas, contributorInsights: true, tableName: 'locks' });
  expect(hashless(template)).toMatchSnapshot();
});

describe('what is refused', () => {
  it('eventual consistency, with the reason', () => {
    const consistency = MultiRegionConsistency.EVENTUAL;
    expect(() => made({ replicas: { ...replicas, consistency } })).toThrow(
      /replicas\.consistency: must be STRONG, got EVENTUAL: .* two Regions would grant the same lock at once/,
    );
  });

  it('a replica that was added past the props, at synthesis', () => {
    const app = appAsDeployed();
    const leases = made({}, inEurope(app));
    (leases.table as TableV2).addReplica({ region: 'eu-west-1' });
    expect(() => app.synth()).toThrow(
      /has replicas and is not strongly consistent: .* Use the prop "replicas"/,
    );
  });

  it.each([
    [
      [],
      undefined,
      "beside the stack's own eu-central-1 there must be exactly two Regions, or one and a witness, got []",
    ],
    [['eu-west-1'], undefined, 'got [eu-west-1]'],
    [['eu-west-1', 'eu-west-2', 'eu-west-3'], undefined, 'got [eu-west-1, eu-west-2, eu-west-3]'],
    [['eu-west-1', 'eu-west-2'], 'eu-west-3', 'got [eu-west-1, eu-west-2] and the witness eu-west-3'],
    // Which Regions go together is CDK's to know.
    [['us-east-1', 'us-east-2'], undefined, "Region 'us-east-1' is not in the same region set"],
  ])('the Regions %j with the witness %s', (regions, witness, message) => {
    expect(() => made({ replicas: { regions, witness } })).toThrow(message);
  });

  it('replicas of a stack that may be deployed anywhere', () => {
    expect(() => made({ replicas }, emptyStack())).toThrow(
      "replicas: the stack's own Region must be known; give the stack an env with a region",
    );
  });

  it.each([
    [{ sweeper: {} }, 'sweeper: only a table with replicas has one, others have TTL'],
    [
      { replicas, sweeper: { deletesPerSecond: 0 } },
      'sweeper.deletesPerSecond: must be a whole number from 1 to 1000, got 0',
    ],
    [
      { replicas, sweeper: { every: Duration.minutes(5) } },
      'sweeper.every: must be from 15 minutes to 1 day, got 5 minutes',
    ],
  ])('%j', (props, message) => {
    expect(() => made(props)).toThrow(message);
  });
});
