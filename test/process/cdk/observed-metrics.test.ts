import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import {
  LeaseholdAlarms,
  LeaseholdDashboard,
  LeaseMetrics,
  LeaseTable,
  LockService,
  SliceScan,
} from '../../../lib/cdk/index.js';
import type { LossReason } from '../../../lib/errors/index.js';
import {
  lossMetrics,
  metricNamespace,
  metricUnits,
  serviceDimension,
} from '../../../lib/lambda/observability/metric-names.js';
import { metricListeners } from '../../../lib/lambda/observability/metrics.js';
import { dashboardBody, widgetMetrics } from '../../support/cdk/dashboard-body.js';
import { emptyStack } from '../../support/cdk/synthesize.js';
import { sampleEvents } from '../../support/sample-events.js';

/** The names of all metrics that some event makes a handler emit. */
function emitted(): ReadonlySet<string> {
  const names = new Set<string>();
  const listeners = metricListeners((name) => names.add(name));
  for (const [name, listener] of Object.entries(listeners))
    listener(sampleEvents[name as keyof typeof sampleEvents] as never);
  for (const reason of Object.keys(lossMetrics) as LossReason[])
    listeners.lost?.({ ...sampleEvents.lost, reason });
  return names;
}

/** Everything that can be on a dashboard, and in an alarm. */
function everything() {
  const stack = emptyStack();
  const leases = new LeaseTable(stack, 'Leases');
  const watchExecutions = ['arn:aws:states:eu-central-1:000000000000:stateMachine:order'];
  const lockServices = [
    new LockService(stack, 'Locks', { leases, operators: true, watchExecutions, serviceName: 'locks' }),
  ];
  const bucket = Bucket.fromBucketName(stack, 'Bucket', 'data');
  const scans = [new SliceScan(stack, 'Scan', { leases, bucket, serviceName: 'scan' })];
  const props = { leases, lockServices, scans };
  const thresholds = { longWaits: 1_000, longHolds: 1_000 };
  const alarms = new LeaseholdAlarms(stack, 'Alarms', { ...props, thresholds });
  new LeaseholdDashboard(stack, 'Dashboard', { ...props, alarms });
  return Template.fromStack(stack);
}

interface NamedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, unknown>>;
}

interface Dimension {
  readonly Name: string;
  readonly Value: unknown;
}

function alarmMetrics(template: Template): readonly NamedMetric[] {
  const named = (properties: {
    MetricName: string;
    Namespace: string;
    Dimensions?: readonly Dimension[];
  }) => ({
    namespace: properties.Namespace,
    name: properties.MetricName,
    dimensions: Object.fromEntries((properties.Dimensions ?? []).map(({ Name, Value }) => [Name, Value])),
  });
  return Object.values(template.findResources('AWS::CloudWatch::Alarm')).flatMap(({ Properties }) =>
    Properties.Metrics
      ? Properties.Metrics.flatMap((one: { MetricStat?: { Metric: never } }) =>
          one.MetricStat ? [named(one.MetricStat.Metric)] : [],
        )
      : [named(Properties)],
  );
}

describe('the metrics of dashboard and alarms', () => {
  it('every metric that is declared is emitted for some event, and nothing else is', () => {
    expect([...emitted()].sort()).toEqual(Object.keys(metricUnits).sort());
  });

  it('every one of ours that a widget or an alarm names is emitted, under the dimension of a function there', () => {
    const template = everything();
    const functionServices = new Set(
      Object.values(template.findResources('AWS::Lambda::Function')).map(
        ({ Properties }) => Properties.Environment?.Variables?.POWERTOOLS_SERVICE_NAME,
      ),
    );
    const ours = [...alarmMetrics(template), ...widgetMetrics(dashboardBody(template))].filter(
      ({ namespace }) => namespace === metricNamespace,
    );
    const names = emitted();
    expect(ours.length).toBeGreaterThan(30);
    for (const { name, dimensions } of ours) {
      expect(names).toContain(name);
      expect(Object.keys(dimensions)).toEqual([serviceDimension]);
      expect(functionServices).toContain(dimensions[serviceDimension]);
    }
  });

  it('every metric that is emitted is on the dashboard; the sum of losses is there by its reasons', () => {
    const shown = new Set(widgetMetrics(dashboardBody(everything())).map(({ name }) => name));
    expect([...emitted()].filter((name) => !shown.has(name))).toEqual(['Lost']);
  });

  it('those of AWS are in the namespaces of the services, and of what is deployed here', () => {
    const template = everything();
    const theirs = [...alarmMetrics(template), ...widgetMetrics(dashboardBody(template))].filter(
      ({ namespace }) => namespace !== metricNamespace,
    );
    const dimensionOf: Readonly<Record<string, string>> = {
      'AWS/Lambda': 'FunctionName',
      'AWS/States': 'StateMachineArn',
      'AWS/DynamoDB': 'TableName',
      'AWS/SQS': 'QueueName',
    };
    expect(new Set(theirs.map(({ namespace }) => namespace))).toEqual(new Set(Object.keys(dimensionOf)));
    for (const { namespace, dimensions } of theirs) {
      expect(Object.keys(dimensions)).toContain(dimensionOf[namespace]);
    }
  });
});

describe('LeaseMetrics', () => {
  it('counts are sums and times are percentiles, unless told otherwise', () => {
    const metrics = new LeaseMetrics('orders');
    expect(metrics.granted()).toMatchObject({
      namespace: 'Leasehold',
      metricName: 'Granted',
      dimensions: { service: 'orders' },
      statistic: 'Sum',
    });
    expect(metrics.waited()).toMatchObject({ metricName: 'Waited', statistic: 'p99' });
    expect(metrics.holdTime({ statistic: 'max' })).toMatchObject({ statistic: 'Maximum' });
    expect(new LeaseMetrics().lost().dimensions).toEqual({ service: 'leasehold' });
  });

  it('has a method for each metric, by its name', () => {
    const metrics = new LeaseMetrics();
    const methods = Object.getOwnPropertyNames(LeaseMetrics.prototype).filter(
      (name) => !['constructor', 'metric'].includes(name),
    );
    const named = methods.map(
      (method) => (metrics[method as 'granted'] as () => { metricName: string }).call(metrics).metricName,
    );
    // A loss is counted once more by its reason, which `metric()` names.
    const reasons: readonly string[] = Object.values(lossMetrics);
    expect(named.sort()).toEqual(
      Object.keys(metricUnits)
        .filter((name) => !reasons.includes(name))
        .sort(),
    );
  });
});
