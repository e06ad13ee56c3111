import { ArnFormat, Duration, Stack, Token } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  type MetricOptions,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../lambda/observability/metric-names.js';
import { checkDuration } from '../functions/durations.js';
import { checkKnown, checkName } from '../functions/known.js';
import { type ObservedParts, type ObservedProps, observedParts } from './observed-parts.js';

/**
 * The alarms: from how many events within one period on they ring unless told otherwise, and what they say. Operators
 * find each by its name in `docs/guides/operating.md`.
 */
export const alarmKinds = {
  lostLeases: {
    threshold: 1,
    description: 'Holders lost their leases while they were working under them.',
  },
  takeovers: {
    threshold: 5,
    description: 'Locks were taken from holders that had not released them: workers crash or stand still.',
  },
  staleWrites: {
    threshold: 1,
    description: 'Guards refused writes under old tokens: a worker went on after its lease was over.',
  },
  renewalsFailed: {
    threshold: 10,
    description: 'Renewals failed for reasons of the table; leases are lost if that goes on.',
  },
  releasesFailed: {
    threshold: 5,
    description: 'Releases failed: these locks stay held until their leases run out.',
  },
  throttled: {
    threshold: 1,
    description: 'The table throttled requests until the SDK gave up.',
  },
  slicesQuarantined: {
    threshold: 1,
    description: 'Slices of a scan failed so often that no worker takes them any more.',
  },
  runsFailed: {
    threshold: 1,
    description: 'Runs of a scan failed or were out of time.',
  },
  functionErrors: {
    threshold: 10,
    description: 'Functions ended with errors.',
  },
  functionThrottles: {
    threshold: 1,
    description: 'Invocations were refused: the account or the function has no concurrency left.',
  },
  undelivered: {
    threshold: 1,
    description: 'Ends of executions could not be told to the lock service; they lie in its queue.',
  },
  longWaits: {
    threshold: false,
    description: 'Locks are waited for longer than they should be (99th percentile, milliseconds).',
  },
  longHolds: {
    threshold: false,
    description: 'Locks are held longer than they should be (99th percentile, milliseconds).',
  },
} as const satisfies Readonly<
  Record<string, { readonly threshold: number | false; readonly description: string }>
>;

/** The name of an alarm. */
export type AlarmName = keyof typeof alarmKinds;

/** From how many events within a period on an alarm rings; for waits and holds, milliseconds. `false`: no such alarm. */
export interface AlarmThresholds {
  /** Leases lost. @default 1 */
  readonly lostLeases?: number | false;
  /** Locks taken over from holders that had not released them. @default 5 */
  readonly takeovers?: number | false;
  /** Writes under old tokens refused. @default 1 */
  readonly staleWrites?: number | false;
  /** Renewals failed. @default 10 */
  readonly renewalsFailed?: number | false;
  /** Releases failed. @default 5 */
  readonly releasesFailed?: number | false;
  /** Requests throttled by the table until the SDK gave up. @default 1 */
  readonly throttled?: number | false;
  /** Sightings of quarantined slices; without scans there is no such alarm. @default 1 */
  readonly slicesQuarantined?: number | false;
  /** Runs failed or out of time; without scans there is no such alarm. @default 1 */
  readonly runsFailed?: number | false;
  /**
   * Errors of all functions together; without functions there is no such alarm. A held lock that a state machine asked
   * for counts: Step Functions retries on errors only.
   *
   * @default 10
   */
  readonly functionErrors?: number | false;
  /** Invocations refused for want of concurrency; without functions there is no such alarm. @default 1 */
  readonly functionThrottles?: number | false;
  /** Ends of executions that could not be told; without watched executions there is no such alarm. @default 1 */
  readonly undelivered?: number | false;
  /** The 99th percentile of waits until a grant, in milliseconds. @default false: how long is too long only you know */
  readonly longWaits?: number | false;
  /** The 99th percentile of hold times, in milliseconds. @default false: how long is too long only you know */
  readonly longHolds?: number | false;
}

/** What {@link LeaseholdAlarms} can be told. */
export interface LeaseholdAlarmsProps extends ObservedProps {
  /** When each alarm rings, or that there is none. @default those of AlarmThresholds */
  readonly thresholds?: AlarmThresholds;
  /** What happens when one rings. @default nothing: it is seen in the console, and on a dashboard that is given them */
  readonly actions?: readonly IAlarmAction[];
  /** ARNs of SNS topics that are told. @default none */
  readonly topicArns?: readonly string[];
  /** Whether the actions are also told when an alarm is over. @default false */
  readonly tellWhenOver?: boolean;
  /** What is counted together: 1 minute to 1 day. @default 5 minutes */
  readonly period?: Duration;
}

/**
 * Alarms over locks and scans, each about something that an operator should look into. Most metrics exist only while
 * something happens, so that missing data counts as good. Over several services an alarm looks at their sum; waits and
 * holds, at the longest.
 *
 * Made after what it watches: functions that a lock service gets later are not in it.
 */
export class LeaseholdAlarms extends Construct {
  /** The alarms by name; those that were left out are missing. */
  readonly alarms: Readonly<Partial<Record<AlarmName, Alarm>>>;

  /** @throws Error for a threshold or period that can't be, or a threshold for something that there is not */
  constructor(scope: Construct, id: string, props: LeaseholdAlarmsProps = {}) {
    super(scope, id);
    checkKnown(props, ['period', 'topicArns', 'tellWhenOver', 'serviceNames']);
    const told = (props.actions?.length ?? 0) + (props.topicArns?.length ?? 0);
    if (told > maxActions) {
      throw new Error(
        `topicArns, actions: an alarm tells at most ${maxActions}, got ${told}; one topic can have many subscribers`,
      );
    }
    for (const arn of props.topicArns ?? []) checkTopic(this, arn);
    checkDuration('period', props.period, Duration.minutes(1), Duration.days(1));
    const { thresholds = {} } = props;
    for (const [name, threshold] of Object.entries(thresholds)) checkThreshold(name, threshold);
    const watched = watchedMetrics(observedParts(props), { period: props.period ?? Duration.minutes(5) });
    const actions = [...(props.actions ?? []), ...(props.topicArns ?? []).map(topicAction)];
    const made: Partial<Record<AlarmName, Alarm>> = {};
    for (const name of Object.keys(alarmKinds) as AlarmName[]) {
      const threshold = thresholds[name] ?? alarmKinds[name].threshold;
      const metric = watched[name];
      if (threshold === false) continue;
      if (!metric) {
        if (thresholds[name] === undefined) continue;
        throw new Error(`thresholds.${name}: there is nothing of the kind among what is watched`);
      }
      made[name] = this.#alarm(name, metric, threshold, actions, props.tellWhenOver ?? false);
    }
    this.alarms = made;
  }

  /** All of them. */
  get all(): Alarm[] {
    return Object.values(this.alarms);
  }

  #alarm(
    name: AlarmName,
    metric: IMetric,
    threshold: number,
    actions: readonly IAlarmAction[],
    tellWhenOver: boolean,
  ): Alarm {
    const alarm = new Alarm(this, name.charAt(0).toUpperCase() + name.slice(1), {
      metric,
      threshold,
      alarmDescription: `${alarmKinds[name].description} Leasehold, docs/guides/operating.md: ${name}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (actions.length > 0) alarm.addAlarmAction(...actions);
    if (actions.length > 0 && tellWhenOver) alarm.addOkAction(...actions);
    return alarm;
  }
}

/** Which metric each alarm looks at, where there is one. */
function watchedMetrics(
  { metrics, scans, functions, queues }: ObservedParts,
  options: MetricOptions,
): Partial<Record<AlarmName, IMetric>> {
  const ofLeases = (name: MetricName) => sum(metrics.map((one) => one.metric(name, options)));
  const percentiles = (name: MetricName) =>
    longest(metrics.map((one) => one.metric(name, { ...options, statistic: Stats.percentile(99) })));
  const runs = scans.flatMap((scan) => [scan.metricFailed(options), scan.metricTimedOut(options)]);
  return {
    lostLeases: ofLeases('Lost'),
    takeovers: ofLeases('Takeover'),
    staleWrites: ofLeases('StaleWriteRefused'),
    renewalsFailed: ofLeases('RenewalFailed'),
    releasesFailed: ofLeases('ReleaseFailed'),
    throttled: ofLeases('StoreThrottled'),
    slicesQuarantined: scans.length > 0 ? ofLeases('SlicesQuarantined') : undefined,
    runsFailed: sum(runs),
    functionErrors: sum(functions.map((one) => one.metricErrors(options))),
    functionThrottles: sum(functions.map((one) => one.metricThrottles(options))),
    undelivered: sum(
      queues.map((one) =>
        one.metricApproximateNumberOfMessagesVisible({ ...options, statistic: Stats.MAXIMUM }),
      ),
    ),
    longWaits: percentiles('Waited'),
    longHolds: percentiles('HoldTime'),
  };
}

/** One that is missing counts as nothing; else it would take the others with it. */
function sum(metrics: readonly IMetric[]): IMetric | undefined {
  return combined(metrics, (names) => names.map((name) => `FILL(${name}, 0)`).join(' + '));
}

function longest(metrics: readonly IMetric[]): IMetric | undefined {
  return combined(metrics, (names) => `MAX([${names.map((name) => `FILL(${name}, 0)`).join(', ')}])`);
}

/** CloudWatch's limit on the metrics of one alarm. */
const maxMetrics = 10;

function combined(
  metrics: readonly IMetric[],
  toExpression: (names: readonly string[]) => string,
): IMetric | undefined {
  if (metrics.length <= 1) return metrics[0];
  if (metrics.length > maxMetrics) {
    throw new Error(`An alarm can look at ${maxMetrics} metrics, these are ${metrics.length}: make several`);
  }
  const usingMetrics = Object.fromEntries(metrics.map((metric, i) => [`m${i}`, metric]));
  const period = (metrics[0] as { readonly period?: Duration }).period;
  return new MathExpression({ expression: toExpression(Object.keys(usingMetrics)), usingMetrics, period });
}

/** CloudWatch's limit on what an alarm does in one of its states. */
const maxActions = 5;

/** An alarm tells topics of its own Region only. */
function checkTopic(scope: Construct, arn: string): void {
  checkName('topicArns', arn, /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w.-]{1,256}$/, 'ARNs of SNS topics');
  const stack = Stack.of(scope);
  const { region } = stack.splitArn(arn, ArnFormat.NO_RESOURCE_NAME);
  if ([region, stack.region].some((one) => Token.isUnresolved(one)) || region === stack.region) return;
  throw new Error(
    `topicArns: "${arn}" lies in ${region}, and the alarm in ${stack.region}; an alarm tells topics of its own Region only`,
  );
}

function topicAction(alarmActionArn: string): IAlarmAction {
  return { bind: () => ({ alarmActionArn }) };
}

function checkThreshold(name: string, threshold: unknown): void {
  if (!(name in alarmKinds)) {
    throw new Error(`thresholds.${name}: is none of ${Object.keys(alarmKinds).join(', ')}`);
  }
  if (threshold === undefined || threshold === false || Token.isUnresolved(threshold)) return;
  if (typeof threshold === 'number' && Number.isFinite(threshold) && threshold > 0) return;
  throw new Error(`thresholds.${name}: must be a number above 0, or false, got ${JSON.stringify(threshold)}`);
}
