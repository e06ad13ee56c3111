import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { SliceScan, type SliceScanProps } from '../../../lib/cdk/index.js';
import { definitionOf, emptyStack, statementsOf } from '../../support/cdk/synthesize.js';

function scanTemplate(props: Partial<SliceScanProps> = {}): Template {
  return Template.fromStack(scanStack(props));
}

function scanStack(props: Partial<SliceScanProps> = {}): Stack {
  const stack = emptyStack();
  const bucket = Bucket.fromBucketName(stack, 'Bucket', 'data');
  const output = props.output && { bucket, prefix: props.output.prefix };
  new SliceScan(stack, 'Scan', { bucket, ...props, ...(output && { output }) });
  return stack;
}

const functions = ['Plan', 'Work', 'Verify'] as const;
const policyOf = (template: Template, name: string) => statementsOf(template, `Scan${name}Role`);
const objects = (path: string) => ({
  'Fn::Join': ['', [`arn:`, { Ref: 'AWS::Partition' }, `:s3:::data/${path}`]],
});
const withOutput = { output: { bucket: undefined as never, prefix: 'results/' } };

describe('what the roles may do', () => {
  it('plan and work list under the prefix only; verify lists nothing', () => {
    const template = scanTemplate({ prefix: 'logs/2026/' });
    for (const name of ['Plan', 'Work']) {
      expect(policyOf(template, name)['s3:ListBucket']).toMatchObject({
        Resource: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':s3:::data']] },
        Condition: { StringLike: { 's3:prefix': 'logs/2026/*' } },
      });
    }
    expect(policyOf(template, 'Verify')['s3:ListBucket']).toBeUndefined();
  });

  it('a prefix with wildcards in it stays one prefix', () => {
    const condition = policyOf(scanTemplate({ prefix: 'a*b?c$/' }), 'Work')['s3:ListBucket']?.Condition;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM's own escapes
    expect(condition).toEqual({ StringLike: { 's3:prefix': 'a${*}b${?}c${$}/*' } });
  });

  it('a scan of the whole bucket has no condition: IAM takes an absent prefix for no match', () => {
    expect(policyOf(scanTemplate(), 'Work')['s3:ListBucket']?.Condition).toBeUndefined();
  });

  it('nobody reads or writes an object unless it was asked for', () => {
    const template = scanTemplate({ prefix: 'logs/' });
    for (const name of functions) {
      expect(
        Object.keys(policyOf(template, name)).filter((action) => /s3:(Get|Put|Delete)/.test(action)),
      ).toEqual([]);
    }
  });

  it('only the worker reads the objects, under the prefix', () => {
    const template = scanTemplate({ prefix: 'logs/', readObjects: true });
    expect(policyOf(template, 'Work')['s3:GetObject']?.Resource).toEqual(objects('logs/*'));
    expect(policyOf(template, 'Plan')['s3:GetObject']).toBeUndefined();
    expect(policyOf(template, 'Verify')['s3:GetObject']).toBeUndefined();
  });

  it('only the worker writes, under the output prefix; it and verify read what was written', () => {
    const template = scanTemplate({ prefix: 'logs/', ...withOutput });
    const all = 's3:AbortMultipartUpload s3:GetObject s3:PutObject';
    expect(policyOf(template, 'Work')[all]?.Resource).toEqual(objects('results/*'));
    expect(policyOf(template, 'Verify')['s3:GetObject']?.Resource).toEqual(objects('results/*'));
    expect(Object.keys(policyOf(template, 'Verify')).join(' ')).not.toContain('s3:Put');
    expect(Object.keys(policyOf(template, 'Plan')).join(' ')).not.toMatch('s3:(Get|Put)');
  });

  it('no statement has a wildcard for its actions', () => {
    const template = scanTemplate({ prefix: 'logs/', readObjects: true, ...withOutput });
    for (const name of functions) {
      expect(Object.keys(policyOf(template, name)).join(' ')).not.toContain('*');
    }
  });

  it('the worker writes its ledger', () => {
    const stack = emptyStack();
    const ledger = Table.fromTableArn(
      stack,
      'Ledger',
      'arn:aws:dynamodb:eu-central-1:000000000000:table/ledger',
    );
    new SliceScan(stack, 'Scan', { bucket: Bucket.fromBucketName(stack, 'Bucket', 'data'), ledger });
    const template = Template.fromStack(stack);
    expect(policyOf(template, 'Work')).toHaveProperty([
      'dynamodb:GetItem dynamodb:PutItem dynamodb:UpdateItem',
    ]);
    expect(policyOf(template, 'Verify')).not.toHaveProperty([
      'dynamodb:GetItem dynamodb:PutItem dynamodb:UpdateItem',
    ]);
  });
});

describe('functions and logs', () => {
  it('run the bundles on the newest Node.js, each with its own log group that is kept', () => {
    const template = scanTemplate({
      prefix: 'logs/',
      lease: Duration.seconds(20),
      // As a caller passes on what it was not told itself.
      logRetention: undefined,
      ...withOutput,
    });
    template.resourceCountIs('AWS::Lambda::Function', 3);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Handler: Match.stringLikeRegexp('^(plan|work|verify)/index\\.handler$'),
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      LoggingConfig: { LogGroup: { Ref: Match.stringLikeRegexp('Logs') } },
      TracingConfig: Match.absent(),
      Environment: {
        Variables: {
          LEASEHOLD_TABLE: { Ref: Match.stringLikeRegexp('^ScanLeasesTable') },
          LEASEHOLD_LEASE_MS: '20000',
          LEASEHOLD_OUTPUT_BUCKET: 'data',
          LEASEHOLD_OUTPUT_PREFIX: 'results/',
        },
      },
    });
    template.resourceCountIs('AWS::Logs::LogGroup', 4);
    template.allResources('AWS::Logs::LogGroup', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { RetentionInDays: 30 },
    });
  });

  it('can be told otherwise', () => {
    const template = scanTemplate({
      logRetention: RetentionDays.ONE_WEEK,
      removalPolicy: RemovalPolicy.DESTROY,
      tracing: true,
    });
    template.allResources('AWS::Logs::LogGroup', {
      DeletionPolicy: 'Delete',
      Properties: { RetentionInDays: 7 },
    });
    template.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      TracingConfiguration: { Enabled: true },
    });
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: false })] },
    });
  });

  it('the state machine logs every step, without input and output', () => {
    scanTemplate().hasResourceProperties('AWS::StepFunctions::StateMachine', {
      StateMachineType: 'STANDARD',
      LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
    });
  });

  it('each function writes to its own log group only', () => {
    const template = scanTemplate({ prefix: 'logs/' });
    for (const name of functions) {
      expect(policyOf(template, name)['logs:CreateLogStream logs:PutLogEvents']?.Resource).toEqual({
        'Fn::GetAtt': [expect.stringMatching(new RegExp(`^Scan${name}Logs`)), 'Arn'],
      });
    }
    for (const role of Object.values(template.findResources('AWS::IAM::Role'))) {
      expect(role.Properties.ManagedPolicyArns).toBeUndefined();
    }
  });
});

describe('an output inside the scanned prefix', () => {
  it('of the same bucket is refused', () => {
    expect(() => scanTemplate({ prefix: 'res', ...withOutput })).toThrow(
      'output.prefix: "results/" lies inside the scanned prefix "res" of the same bucket',
    );
    expect(() => scanTemplate(withOutput)).toThrow('lies inside');
  });

  it('and the other way round, as the role may write all below its prefix', () => {
    expect(() => scanTemplate({ prefix: 'results/of/others/', ...withOutput })).toThrow(
      'output.prefix: the scanned prefix "results/of/others/" lies inside "results/" of the same bucket',
    );
  });

  it('also where the same bucket was imported twice', () => {
    const stack = emptyStack();
    const bucket = Bucket.fromBucketName(stack, 'Bucket', 'data');
    const output = { bucket: Bucket.fromBucketName(stack, 'Again', 'data'), prefix: 'results/' };
    expect(() => new SliceScan(stack, 'Scan', { bucket, output })).toThrow('lies inside');
  });

  it('beside it is not', () => {
    expect(() => scanTemplate({ prefix: 'logs/', ...withOutput })).not.toThrow();
  });
});

it('the defaults of the construct are the defaults of the plan', () => {
  const { Plan, Seats } = definitionOf(
    scanTemplate({ prefix: 'logs/', seats: 5, slices: 40, maxConcurrency: 3 }),
  ).States;
  expect(Plan.Parameters.Payload.defaults).toEqual({ bucket: 'data', prefix: 'logs/', seats: 5, slices: 40 });
  expect(Seats.MaxConcurrency).toBe(3);
});
