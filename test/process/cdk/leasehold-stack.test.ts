import { describe, expect, it } from 'vitest';
import { LeaseholdStack, type LeaseholdStackProps } from '../../../lib/cdk/index.js';
import { everything } from '../../support/cdk/every-option.js';
import { hashless } from '../../support/cdk/hashless.js';
import { nagFindings } from '../../support/cdk/nag.js';
import { appAsDeployed, stackTemplate } from '../../support/cdk/synthesize.js';

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
    // Without a policy it goes with the stack; all that may be kept says so.
    expect(policies({ keep: false, bucketName: 'data' })).toEqual(new Set(['Delete', undefined]));
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
