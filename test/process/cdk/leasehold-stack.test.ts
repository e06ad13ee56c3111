import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CfnResource } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LeaseholdStack, type LeaseholdStackProps } from '../../../lib/cdk/index.js';
import { hashless } from '../../support/cdk/hashless.js';
import { nagFindings } from '../../support/cdk/nag.js';
import { appAsDeployed, stackTemplate } from '../../support/cdk/synthesize.js';

/** Every option that changes what is deployed. */
const everything: LeaseholdStackProps = {
  tableName: 'leases',
  lockNames: ['settlement/*', 'report'],
  functionUrl: true,
  watchExecutions: ['arn:aws:states:eu-central-1:000000000000:stateMachine:nightly'],
  bucketName: 'data',
  prefix: 'logs/',
  outputBucketName: 'data',
  outputPrefix: 'results/',
  readObjects: true,
  seats: 8,
  slices: 64,
  leaseMs: 20_000,
  schedule: 'rate(1 day)',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:000000000000:operators',
  tracing: true,
};

const stackOf = (props: LeaseholdStackProps = {}) => new LeaseholdStack(appAsDeployed(), 'Leasehold', props);

describe('the stack', () => {
  it('is what it was', () => {
    expect(hashless(stackTemplate())).toMatchSnapshot('defaults');
    expect(hashless(stackTemplate(everything))).toMatchSnapshot('everything');
  });

  it.each<[string, LeaseholdStackProps]>([
    ['as it is', {}],
    ['with every option', everything],
    ['without keeping anything', { keep: false, bucketName: 'data' }],
    [
      'told little',
      { logs: false, metrics: false, operators: false, dashboard: false, alarms: false, bucketName: 'data' },
    ],
  ])('%s: cdk-nag finds nothing', (_, props) => {
    expect(nagFindings(stackOf(props))).toEqual([]);
  });

  it('can be deployed as it is: table and lock service, no parameter to be given', () => {
    const template = stackTemplate();
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
    template.resourceCountIs('AWS::StepFunctions::StateMachine', 0);
    expect(Object.keys(template.findParameters('*'))).toEqual(['BootstrapVersion']);
    for (const output of ['TableName', 'LockServiceName', 'OperatorsName']) template.hasOutput(output, {});
  });

  it('asks for the bucket at deployment when told to', () => {
    const template = stackTemplate({ bucketParameter: true });
    template.hasParameter('BucketName', { Type: 'String' });
    template.hasOutput('StateMachineArn', {});
  });

  it('all functions share one table', () => {
    const template = stackTemplate(everything);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
    const functions = Object.values(template.findResources('AWS::Lambda::Function'));
    const tables = functions.map(({ Properties }) => Properties.Environment.Variables.LEASEHOLD_TABLE.Ref);
    expect(tables.length).toBeGreaterThanOrEqual(6);
    expect(new Set(tables).size).toBe(1);
  });

  it('is watched: a dashboard, and alarms that tell the topic', () => {
    const template = stackTemplate(everything);
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
    template.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: ['arn:aws:sns:eu-central-1:000000000000:operators'],
    });
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'Leasehold', LEASEHOLD_TRACING: 'on' } },
    });
    const unwatched = stackTemplate({ dashboard: false, alarms: false });
    unwatched.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    unwatched.resourceCountIs('AWS::CloudWatch::Alarm', 0);
  });

  it('with a bucket of its own for output', () => {
    const template = stackTemplate({ bucketName: 'data', outputBucketName: 'results', lockService: false });
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: { LEASEHOLD_OUTPUT_BUCKET: 'results', LEASEHOLD_OUTPUT_PREFIX: 'leasehold/' },
      },
    });
  });

  it('is kept, or goes without a trace', () => {
    const policies = (props: LeaseholdStackProps) =>
      new Set(
        Object.values(
          stackTemplate(props).toJSON().Resources as Record<string, { DeletionPolicy?: string }>,
        ).map(({ DeletionPolicy }) => DeletionPolicy),
      );
    expect(policies({ keep: false, bucketName: 'data' })).not.toContain('Retain');
    stackTemplate({ keep: false }).hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [{ DeletionProtectionEnabled: false }],
    });
    expect(policies({ bucketName: 'data' })).toContain('Retain');
  });
});

describe('what counts for nothing is refused', () => {
  it.each<[string, LeaseholdStackProps]>([
    ['seats: counts for nothing without a scan: give bucketName, or bucketParameter', { seats: 4 }],
    [
      'schedule: counts for nothing without a scan: give bucketName, or bucketParameter',
      { schedule: 'rate(1 day)' },
    ],
    ['outputPrefix: counts for nothing without outputBucketName', { bucketName: 'data', outputPrefix: 'x/' }],
    [
      'alarmTopicArn: counts for nothing without the alarms, which were left out',
      { alarms: false, alarmTopicArn: 'arn:aws:sns:eu-central-1:000000000000:operators' },
    ],
    [
      'lockNames: counts for nothing without the lock service, which was left out',
      { lockService: false, lockNames: ['a'] },
    ],
    [
      'bucketParameter: must be left out where bucketName is given',
      { bucketName: 'data', bucketParameter: true },
    ],
  ])('%s', (message, props) => {
    expect(() => stackOf(props)).toThrow(message);
  });
});

describe("CDK's own validation of templates", () => {
  beforeAll(() => void vi.stubEnv('CDK_VALIDATION', 'true'));
  afterAll(() => void vi.unstubAllEnvs());

  it('has nothing to say about the stack', () => {
    expect(reported(appOf(everything).synth().directory)).toEqual([]);
  });

  it('runs: what CloudFormation would frown at is reported', () => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => {});
    const app = appOf({}, (table) => table.addPropertyOverride('BillingMode', 'FOR_FREE'));
    expect(reported(app.synth().directory)).toEqual([expect.stringContaining('FOR_FREE')]);
  });

  it('and what it would refuse fails the synthesis', () => {
    const app = appOf({}, (table) => table.addPropertyOverride('KeySchemas', []));
    expect(() => app.synth()).toThrow(/KeySchemas: Additional properties are not allowed/);
  });

  function reported(directory: string): readonly string[] {
    const report = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'));
    const plugins = report.pluginReports as readonly {
      readonly violations: readonly { description: string }[];
    }[];
    return plugins.flatMap(({ violations }) => violations.map(({ description }) => description));
  }

  function appOf(props: LeaseholdStackProps, tamper: (table: CfnResource) => void = () => {}) {
    const app = appAsDeployed();
    const { leases } = new LeaseholdStack(app, 'Leasehold', props);
    tamper(leases.table.node.defaultChild as CfnResource);
    return app;
  }
});
