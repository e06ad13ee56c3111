import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  type Metric,
  type MetricOptions,
  Row,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { lossMetrics, type MetricName } from '../../lambda/observability/metric-names.js';
import { checkKnown, checkName } from '../functions/known.js';
import type { LeaseMetrics } from './lease-metrics.js';
import type { LeaseholdAlarms } from './leasehold-alarms.js';
import { type ObservedParts, type ObservedProps, observedParts } from './observed-parts.js';

/** What a {@link LeaseholdDashboard} can be told. */
export interface LeaseholdDashboardProps extends ObservedProps {
  /** The dashboard's name, unique in the account. @default one that CloudFormation makes up */
  readonly dashboardName?: string;
  /** Alarms whose state is shown on top. @default none */
  readonly alarms?: LeaseholdAlarms;
  /** What one point of a graph covers. @default 5 minutes */
  readonly period?: Duration;
  /** What is shown before somebody chooses: the time up to now. @default 3 hours */
  readonly defaultInterval?: Duration;
}

const half = 12;
const third = 8;

/**
 * A CloudWatch dashboard of locks and scans: grants, refusals, waits, hold times, takeovers, lost leases, refused stale
 * writes, throttles, slices by state, and the functions, executions and the table behind them.
 *
 * Made after what it shows: functions that a lock service gets later are not on it.
 */
export class LeaseholdDashboard extends Construct {
  /** The dashboard itself; `addWidgets` adds to it. */
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: LeaseholdDashboardProps = {}) {
    super(scope, id);
    checkKnown(props, ['period', 'defaultInterval', 'serviceNames']);
    checkName('dashboardName', props.dashboardName, /^[\w-]{1,255}$/, '1 to 255 of A-Z a-z 0-9 _ -');
    const parts = observedParts(props);
    checkSize(parts);
    const options: MetricOptions = { period: props.period ?? Duration.minutes(5) };
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: props.dashboardName,
      defaultInterval: props.defaultInterval ?? Duration.hours(3),
    });
    const rows: readonly (readonly IWidget[])[] = [
      makeTitle(props.alarms),
      lockWidgets(parts.metrics, options),
      kitWidgets(parts.metrics, options),
      troubleWidgets(parts, options),
      scanWidgets(parts, options),
      functionWidgets(parts, options),
      tableWidgets(parts, options),
    ];
    for (const row of rows) if (row.length > 0) this.dashboard.addWidgets(new Row(...row));
  }
}

function makeTitle(alarms: LeaseholdAlarms | undefined): readonly IWidget[] {
  const markdown =
    '# Leasehold\nWhat each alarm means and what to do is in the operators’ page of the documentation. ' +
    'Counts are of events; a quiet graph without points means that nothing happened.';
  const text = new TextWidget({ markdown, width: alarms ? half : 2 * half, height: 3 });
  if (!alarms) return [text];
  return [text, new AlarmStatusWidget({ title: 'Alarms', alarms: alarms.all, width: half, height: 3 })];
}

function lockWidgets(services: readonly LeaseMetrics[], options: MetricOptions): readonly IWidget[] {
  const times = (title: string, name: MetricName) => spread(title, name, 'milliseconds', services, options);
  return [
    counts('Grants and refusals', third, [
      ...labelled(services, 'Granted', 'granted', options),
      ...labelled(services, 'Held', 'found held', options),
      ...labelled(services, 'Takeover', 'taken over', options),
    ]),
    times('Waits until granted', 'Waited'),
    times('Hold times', 'HoldTime'),
  ];
}

/** What is made of locks: permits, lines, leaders. */
function kitWidgets(services: readonly LeaseMetrics[], options: MetricOptions): readonly IWidget[] {
  return [
    spread('Waits for permits', 'PermitWaited', 'milliseconds', services, options),
    spread('Length of lines', 'LineLength', 'waiters', services, options),
    counts('Leaders', third, [
      ...labelled(services, 'LeaderElected', 'elected', options),
      ...labelled(services, 'LeaderSteppedDown', 'stepped down when asked', options),
    ]),
  ];
}

function spread(
  title: string,
  name: MetricName,
  label: string,
  services: readonly LeaseMetrics[],
  options: MetricOptions,
): IWidget {
  return new GraphWidget({
    title,
    width: third,
    leftYAxis: { label, min: 0, showUnits: false },
    left: [50, 90, 99].flatMap((percent) =>
      labelled(services, name, `p${percent}`, { ...options, statistic: Stats.percentile(percent) }),
    ),
  });
}

function troubleWidgets({ metrics, leases }: ObservedParts, options: MetricOptions): readonly IWidget[] {
  return [
    counts(
      'Leases lost, by reason',
      third,
      Object.entries(lossMetrics).flatMap(([reason, name]) => labelled(metrics, name, reason, options)),
      true,
    ),
    counts('Refused and failed writes', third, [
      ...labelled(metrics, 'StaleWriteRefused', 'stale writes refused', options),
      ...labelled(metrics, 'ReleaseRequested', 'releases requested', options),
      ...labelled(metrics, 'RenewalFailed', 'renewals failed', options),
      ...labelled(metrics, 'ReleaseFailed', 'releases failed', options),
    ]),
    counts('Throttles', third, [
      ...labelled(metrics, 'StoreThrottled', 'given up by the SDK', options),
      ...(leases ? [leases.metricThrottledRequests({ ...options, label: 'by the table' })] : []),
    ]),
  ];
}

function scanWidgets({ metrics, scans }: ObservedParts, options: MetricOptions): readonly IWidget[] {
  if (scans.length === 0) return [];
  const executions = scans.flatMap((scan) => [
    scan.metricStarted({ ...options, label: makeLabel(scans, scan, 'started') }),
    scan.metricSucceeded({ ...options, label: makeLabel(scans, scan, 'succeeded') }),
    scan.metricFailed({ ...options, label: makeLabel(scans, scan, 'failed') }),
    scan.metricTimedOut({ ...options, label: makeLabel(scans, scan, 'timed out') }),
  ]);
  return [
    counts('Slices by state', half, [
      ...labelled(metrics, 'SlicesPlanned', 'planned', options),
      ...labelled(metrics, 'SlicesDone', 'done', options),
      ...labelled(metrics, 'SlicesTakenOver', 'taken over', options),
      ...labelled(metrics, 'SlicesGivenBack', 'given back for later', options),
      ...labelled(metrics, 'SlicesLost', 'lost', options),
      ...labelled(metrics, 'SlicesQuarantined', 'quarantined (sightings)', options),
    ]),
    counts('Runs', half, executions),
  ];
}

function functionWidgets({ functions }: ObservedParts, options: MetricOptions): readonly IWidget[] {
  if (functions.length === 0) return [];
  return [
    counts('Errors and throttles of functions', half, [
      ...functions.map((one) => one.metricErrors({ ...options, label: `${one.node.path}: errors` })),
      ...functions.map((one) => one.metricThrottles({ ...options, label: `${one.node.path}: throttles` })),
    ]),
    new GraphWidget({
      title: 'Duration of functions, p99',
      width: half,
      leftYAxis: { label: 'milliseconds', min: 0, showUnits: false },
      left: functions.map((one) =>
        one.metricDuration({ ...options, statistic: Stats.percentile(99), label: one.node.path }),
      ),
    }),
  ];
}

function tableWidgets({ leases }: ObservedParts, options: MetricOptions): readonly IWidget[] {
  if (!leases) return [];
  return [
    counts('Table: units used, writes refused by their condition', half, [
      leases.metricConsumedWriteUnits({ ...options, label: 'write units' }),
      leases.metricConsumedReadUnits({ ...options, label: 'read units' }),
      leases.metricConditionalCheckFailedRequests({ ...options, label: 'writes refused' }),
      leases.metricSystemErrors({ ...options, label: 'errors of DynamoDB' }),
    ]),
    new GraphWidget({
      title: 'Table: how long a write takes',
      width: half,
      leftYAxis: { label: 'milliseconds', min: 0, showUnits: false },
      left: [
        leases.metricSuccessfulRequestLatency({ ...options, label: 'average' }),
        leases.metricSuccessfulRequestLatency({ ...options, statistic: Stats.MAXIMUM, label: 'longest' }),
      ],
    }),
  ];
}

function counts(title: string, width: number, left: readonly IMetric[], stacked = false): GraphWidget {
  return new GraphWidget({ title, width, left: [...left], stacked, leftYAxis: { min: 0, showUnits: false } });
}

/** A metric of each service; its name is told where there are several. */
function labelled(
  services: readonly LeaseMetrics[],
  name: MetricName,
  label: string,
  options: MetricOptions,
): readonly Metric[] {
  return services.map((one) =>
    one.metric(name, {
      ...options,
      label: services.length > 1 ? `${one.serviceName}: ${label}` : label,
    }),
  );
}

function makeLabel(
  scans: ObservedParts['scans'],
  scan: ObservedParts['scans'][number],
  label: string,
): string {
  return scans.length > 1 ? `${scan.node.path}: ${label}` : label;
}

/** CloudWatch's limit on the metrics of one widget. */
const maxMetrics = 500;
/** As many as a widget has for each service name, scan and function. */
const perService = 6;
const perScan = 4;
const perFunction = 2;

function checkSize({ metrics, scans, functions }: ObservedParts): void {
  const sizes = [
    ['serviceNames', metrics.length, perService],
    ['scans', scans.length, perScan],
    ['functions', functions.length, perFunction],
  ] as const;
  for (const [name, count, each] of sizes) {
    const most = Math.floor(maxMetrics / each);
    if (count > most)
      throw new Error(`${name}: a dashboard has room for ${most}, got ${count}: make several`);
  }
}
