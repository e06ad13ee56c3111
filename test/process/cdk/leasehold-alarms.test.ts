import { Duration, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import {
  LeaseholdAlarms,
  type LeaseholdAlarmsProps,
  LeaseTable,
  LockService,
  SliceScan,
} from '../../../lib/cdk/index.js';
import { emptyStack } from '../../support/cdk/synthesize.js';

const ofLeases = [
  'LostLeases',
  'Takeovers',
  'StaleWrites',
  'RenewalsFailed',
  'ReleasesFailed',
  'Throttled',
] as const;

function alarmsOf(props: LeaseholdAlarmsProps = {}, stack: Stack = emptyStack()) {
  new LeaseholdAlarms(stack, 'Alarms', props);
  const found = Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm');
  return Object.fromEntries(
    Object.entries(found).map(([id, { Properties }]) => [
      id.replace(/^Alarms(.*)[0-9A-F]{8}$/, '$1'),
      Properties,
    ]),
  );
}

const scanOf = (stack: Stack, id = 'Scan', serviceName?: string) =>
  new SliceScan(stack, id, { bucket: Bucket.fromBucketName(stack, `${id}Bucket`, 'data'), serviceName });

describe('which alarms there are', () => {
  it('those of leases always, each when at least so many events came in five minutes', () => {
    const alarms = alarmsOf();
    expect(Object.keys(alarms).sort()).toEqual([...ofLeases].sort());
    const { LostLeases } = alarms;
    expect(LostLeases).toMatchObject({
      Namespace: 'Leasehold',
      MetricName: 'Lost',
      Dimensions: [{ Name: 'service', Value: 'leasehold' }],
      Statistic: 'Sum',
      Period: 300,
      Threshold: 1,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      AlarmDescription: expect.stringMatching(/docs\/guides\/operating\.md: lostLeases$/),
    });
    expect(Object.fromEntries(ofLeases.map((name) => [name, alarms[name].Threshold]))).toEqual({
      LostLeases: 1,
      Takeovers: 5,
      StaleWrites: 1,
      RenewalsFailed: 10,
      ReleasesFailed: 5,
      Throttled: 1,
    });
  });

  it('none rings for want of data: most metrics exist only while something happens', () => {
    const stack = emptyStack();
    for (const alarm of Object.values(alarmsOf({ scans: [scanOf(stack)] }, stack))) {
      expect(alarm.TreatMissingData).toBe('notBreaching');
    }
  });

  it('those of runs and slices with a scan, of functions with functions', () => {
    const stack = emptyStack();
    const alarms = alarmsOf({ scans: [scanOf(stack)] }, stack);
    expect(
      Object.keys(alarms)
        .filter((name) => !ofLeases.includes(name as never))
        .sort(),
    ).toEqual(['FunctionErrors', 'FunctionThrottles', 'RunsFailed', 'SlicesQuarantined']);
    expect(alarms.RunsFailed.Metrics[0]).toMatchObject({ Expression: 'FILL(m0, 0) + FILL(m1, 0)' });
    // Plan, work and verify.
    expect(alarms.FunctionErrors.Metrics).toHaveLength(4);
  });

  it('that of undelivered events where executions are watched', () => {
    const stack = emptyStack();
    const leases = new LeaseTable(stack, 'Leases');
    const watchExecutions = ['arn:aws:states:eu-central-1:000000000000:stateMachine:order'];
    const watching = new LockService(stack, 'Watching', { leases, watchExecutions });
    expect(alarmsOf({ lockServices: [watching] }, stack).Undelivered).toMatchObject({
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Statistic: 'Maximum',
      Threshold: 1,
    });
    const other = emptyStack();
    const imported = LockService.fromFunctionName(other, 'There', 'locks');
    expect(alarmsOf({ lockServices: [imported] }, other)).not.toHaveProperty('Undelivered');
  });

  it('functions of one’s own are watched, too, once each', () => {
    const stack = emptyStack();
    const own = new LambdaFunction(stack, 'Own', {
      code: Code.fromInline('exports.handler = () => {}'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_LATEST,
    });
    expect(alarmsOf({ functions: [own, own] }, stack).FunctionErrors).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Threshold: 10,
    });
  });

  it('over several services it is their sum, and the longest of their times', () => {
    const alarms = alarmsOf({ serviceNames: ['a', 'b'], thresholds: { longWaits: 5_000 } });
    expect(alarms.LostLeases.Metrics[0]).toMatchObject({ Expression: 'FILL(m0, 0) + FILL(m1, 0)' });
    expect(alarms.LongWaits.Metrics[0]).toMatchObject({ Expression: 'MAX([FILL(m0, 0), FILL(m1, 0)])' });
    expect(alarms.LongWaits.Metrics[1].MetricStat).toMatchObject({ Stat: 'p99' });
  });
});

describe('what can be told', () => {
  it('thresholds, and that there is none', () => {
    const alarms = alarmsOf({ thresholds: { lostLeases: 7, takeovers: false, longHolds: 60_000 } });
    expect(alarms.LostLeases.Threshold).toBe(7);
    expect(alarms).not.toHaveProperty('Takeovers');
    expect(alarms.LongHolds).toMatchObject({
      Threshold: 60_000,
      ExtendedStatistic: 'p99',
      MetricName: 'HoldTime',
    });
  });

  it('the period', () => {
    expect(alarmsOf({ period: Duration.minutes(1) }).LostLeases.Period).toBe(60);
  });

  it('whom to tell: actions and topics by ARN; when it is over only if asked for', () => {
    const stack = emptyStack();
    const topic = new Topic(stack, 'Topic');
    const props = {
      actions: [new SnsAction(topic)],
      topicArns: ['arn:aws:sns:eu-central-1:000000000000:on-call'],
    };
    const { LostLeases } = alarmsOf(props, stack);
    expect(LostLeases.AlarmActions).toEqual([
      { Ref: expect.stringMatching(/^Topic/) },
      'arn:aws:sns:eu-central-1:000000000000:on-call',
    ]);
    expect(LostLeases).not.toHaveProperty('OKActions');
    const over = alarmsOf({ topicArns: props.topicArns, tellWhenOver: true });
    expect(over.LostLeases.OKActions).toEqual(props.topicArns);
  });
});

describe('what is refused', () => {
  it.each([
    [{ lostLeases: 0 }, 'thresholds.lostLeases: must be a number above 0, or false, got 0'],
    [{ lostLeases: Number.NaN }, 'thresholds.lostLeases: must be a number above 0, or false, got null'],
    [{ lostLeases: '3' as never }, 'thresholds.lostLeases: must be a number above 0, or false, got "3"'],
    [{ lostLease: 3 } as never, 'thresholds.lostLease: is none of lostLeases, takeovers,'],
    [{ runsFailed: 1 }, 'thresholds.runsFailed: there is nothing of the kind among what is watched'],
  ])('%j', (thresholds, message) => {
    expect(() => alarmsOf({ thresholds })).toThrow(message);
  });

  it('a period that CloudWatch does not take', () => {
    expect(() => alarmsOf({ period: Duration.seconds(10) })).toThrow(
      'period: must be from 1 minute to 1 day, got 10 seconds',
    );
  });

  it('more services than one alarm can look at', () => {
    const serviceNames = Array.from({ length: 11 }, (_, i) => `service-${i}`);
    expect(() => alarmsOf({ serviceNames })).toThrow('An alarm can look at 10 metrics, these are 11');
  });
});
