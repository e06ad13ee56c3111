import { Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { describe, expect, it } from 'vitest';
import { LeaseTable, ScanProcessor, SliceScan, type SliceScanProps } from '../../../lib/cdk/index.js';
import { hashless } from '../../support/cdk/hashless.js';
import { nagFindings } from '../../support/cdk/nag.js';
import { appAsDeployed, emptyStack, statementsOf } from '../../support/cdk/synthesize.js';

const entry = new URL('../../support/lambda/line-counts.ts', import.meta.url).pathname;

function parts(props: (stack: Stack) => Partial<SliceScanProps> = () => ({}), stack = emptyStack()) {
  const bucket = Bucket.fromBucketName(stack, 'Bucket', 'data');
  const scan = new SliceScan(stack, 'Scan', { bucket, prefix: 'logs/', ...props(stack) });
  return { stack, scan, template: () => Template.fromStack(stack) };
}

function placedStack(): Stack {
  return new Stack(appAsDeployed(), 'Test', { env: { region: 'eu-central-1' } });
}

/** Every option that changes what is deployed. */
function withEverything() {
  return parts((stack) => {
    const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
    return {
      encryptionKey,
      leases: new LeaseTable(stack, 'Leases'),
      output: {
        bucket: Bucket.fromBucketAttributes(stack, 'Results', { bucketName: 'results', encryptionKey }),
        prefix: 'results/',
      },
      processor: ScanProcessor.fromEntry(entry),
      readObjects: true,
      schedule: {
        expression: ScheduleExpression.rate(Duration.days(1)),
        input: { prefix: 'logs/today/', seats: 4 },
      },
      tracing: true,
      metrics: false,
      lease: Duration.seconds(20),
      workTimeout: Duration.minutes(10),
      serviceName: 'scans',
    };
  });
}

describe('as it is and with every option', () => {
  it('is what it was', () => {
    expect(hashless(parts().template())).toMatchSnapshot('defaults');
    expect(hashless(withEverything().template())).toMatchSnapshot('everything');
  });

  it('cdk-nag finds nothing', () => {
    expect(nagFindings(parts().stack)).toEqual([]);
    expect(nagFindings(withEverything().stack)).toEqual([]);
  });

  it('cdk-nag looks: what somebody adds to a role is found', () => {
    const { stack, scan } = parts();
    scan.functions.work.addToRolePolicy(new PolicyStatement({ actions: ['s3:*'], resources: ['*'] }));
    expect(nagFindings(stack)).toEqual([
      'AwsSolutions-IAM5[Action::s3:*]: Test/Scan/WorkRole/DefaultPolicy/Resource',
      'AwsSolutions-IAM5[Resource::*]: Test/Scan/WorkRole/DefaultPolicy/Resource',
    ]);
  });
});

describe('a processor of your own', () => {
  it('is the code of work and verify, from one bundle; the plan stays as it is', () => {
    const template = parts(() => ({ processor: ScanProcessor.fromEntry(entry) })).template();
    const codeOf = (description: string) => {
      const [made] = Object.values(
        template.findResources('AWS::Lambda::Function', { Properties: { Description: description } }),
      );
      const { Handler, Code } = made!.Properties;
      return { Handler, key: Code.S3Key as string };
    };
    const [plan, work, verify] = ['plan', 'work', 'verify'].map((name) =>
      codeOf(`Leasehold: ${name} of a scan`),
    );
    expect([plan!.Handler, work!.Handler, verify!.Handler]).toEqual([
      'plan/index.handler',
      'index.work',
      'index.verify',
    ]);
    expect(work!.key).toBe(verify!.key);
    expect(plan!.key).not.toBe(work!.key);
  });

  it('may be a bundle built elsewhere, or code from a bucket', () => {
    const fromBucket = parts((stack) => ({
      processor: ScanProcessor.fromCode(
        Code.fromBucket(Bucket.fromBucketName(stack, 'Code', 'code'), 'scan.zip', 'version-1'),
      ),
    }));
    fromBucket.template().hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'index.work',
      Code: { S3Bucket: 'code', S3Key: 'scan.zip', S3ObjectVersion: 'version-1' },
    });
  });

  it('that is not there is told at once', () => {
    expect(() => ScanProcessor.fromDirectory(import.meta.dirname)).toThrow(
      /must hold index.mjs, which exports work and verify/,
    );
    expect(() => ScanProcessor.fromEntry('no/such.ts')).toThrow(/there is no file ".*no\/such.ts"/);
  });
});

describe('a schedule', () => {
  it('starts the state machine with its input, by a role that may do nothing else', () => {
    const { template } = parts(() => ({
      schedule: { expression: ScheduleExpression.rate(Duration.hours(6)), input: { seats: 4 } },
    }));
    template().hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(6 hours)',
      State: 'ENABLED',
      Target: { Arn: { Ref: Match.stringLikeRegexp('^ScanStateMachine') }, Input: '{"seats":4}' },
    });
    expect(statementsOf(template(), 'SchedulerRoleForTarget')).toEqual({
      'states:StartExecution': expect.objectContaining({
        Resource: { Ref: expect.stringMatching(/^ScanStateMachine/) },
      }),
    });
  });

  it('is not there unless asked for', () => {
    parts().template().resourceCountIs('AWS::Scheduler::Schedule', 0);
  });
});

describe("a customer's key", () => {
  it('is used for environment, executions, logs and the table made here', () => {
    // A key of the table has to be named by its Region.
    const template = parts((stack) => ({ encryptionKey: new Key(stack, 'Key') }), placedStack()).template();
    const key = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Key'), 'Arn'] };
    template.allResourcesProperties('AWS::Lambda::Function', { KmsKeyArn: key });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: key });
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      EncryptionConfiguration: { KmsKeyId: Match.anyValue(), Type: 'CUSTOMER_MANAGED_KMS_KEY' },
    });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    });
  });

  it("of the bucket's may be used for reading, where the worker reads", () => {
    const bucketOf = (stack: Stack) => new Bucket(stack, 'Own', { encryption: BucketEncryption.KMS });
    const reads = parts((stack) => ({ bucket: bucketOf(stack), readObjects: true })).template();
    expect(Object.keys(statementsOf(reads, 'ScanWorkRole'))).toContain('kms:Decrypt');
    const lists = parts((stack) => ({ bucket: bucketOf(stack) })).template();
    expect(Object.keys(statementsOf(lists, 'ScanWorkRole')).join()).not.toContain('kms');
  });
});

describe('what others may be granted', () => {
  const arn = 'arn:aws:states:eu-central-1:000000000000:stateMachine:scan';
  const grants = ['grantStartExecution', 'grantRead', 'grantRedriveExecution'] as const;

  it.each(grants)('%s, on a scan made here and on one deployed elsewhere', (grant) => {
    const { stack, scan, template } = parts();
    const imported = SliceScan.fromStateMachineArn(stack, 'Imported', arn);
    const role = new Role(stack, 'User', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    expect(scan[grant](role).success).toBe(true);
    expect(imported[grant](role).success).toBe(true);
    const actions = Object.keys(statementsOf(template(), 'User')).join(' ');
    expect(actions).toContain(
      {
        grantStartExecution: 'states:StartExecution',
        grantRead: 'states:DescribeExecution',
        grantRedriveExecution: 'states:RedriveExecution',
      }[grant],
    );
    expect(actions).not.toMatch(/\*|states:(Delete|Update|Create)/);
  });

  it('metrics are those of the state machine', () => {
    const { stack, scan } = parts();
    const imported = SliceScan.fromStateMachineArn(stack, 'Imported', arn);
    const metrics = [
      'metricStarted',
      'metricSucceeded',
      'metricFailed',
      'metricTimedOut',
      'metricTime',
    ] as const;
    const names = [
      'ExecutionsStarted',
      'ExecutionsSucceeded',
      'ExecutionsFailed',
      'ExecutionsTimedOut',
      'ExecutionTime',
    ];
    expect(metrics.map((name) => scan[name]().metricName)).toEqual(names);
    expect(imported.metricFailed().dimensions).toEqual({ StateMachineArn: arn });
    expect(scan.metric('ExecutionsAborted').namespace).toBe('AWS/States');
    expect(scan.metrics.slicesDone().dimensions).toEqual({ service: 'leasehold' });
  });
});
