import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  defaultServiceName,
  type MetricName,
  metricNamespace,
  metricUnits,
  serviceDimension,
} from '../../lambda/observability/metric-names.js';
import { switchVariables } from '../../lambda/observability/switches.js';
import { checkName } from '../functions/known.js';

/** Which of the things that a function can tell of itself it tells, and under which name. */
export interface ObservabilitySettings {
  /** Structured logs of what happens to leases. @default true */
  readonly logs?: boolean;
  /** Metrics of leases and slices, in the CloudWatch namespace `Leasehold`. @default true */
  readonly metrics?: boolean;
  /** X-Ray. @default false */
  readonly tracing?: boolean;
  /** The metrics' dimension `service`, and a key of every line. @default leasehold */
  readonly serviceName?: string;
}

/** @throws Error unless it can be a dimension of metrics, or is known only at deployment */
export function checkServiceName(serviceName: string | undefined): void {
  checkName(
    'serviceName',
    serviceName,
    /^(?!:)[ -~]{1,255}$/,
    '1 to 255 printable ASCII characters, not ":" at first',
  );
}

/** The environment variables by which a function with our handlers is told so. */
export function observabilityEnvironment(settings: ObservabilitySettings = {}): Record<string, string> {
  const { logs = true, metrics = true, tracing = false, serviceName = defaultServiceName } = settings;
  const onOff = (on: boolean) => (on ? 'on' : 'off');
  return {
    [switchVariables.logs]: onOff(logs),
    [switchVariables.metrics]: onOff(metrics),
    [switchVariables.tracing]: onOff(tracing),
    POWERTOOLS_SERVICE_NAME: serviceName,
  };
}

/**
 * The metrics that the functions emit under one service name, as CloudWatch metrics: counts as sums, times as 99th
 * percentiles, over 5 minutes. Every method takes CDK's options to say otherwise.
 */
export class LeaseMetrics {
  /** @param serviceName the value of the metrics' dimension `service`. @default leasehold */
  constructor(readonly serviceName: string = defaultServiceName) {}

  /** Any of them by its name. */
  metric(name: MetricName, options?: MetricOptions): Metric {
    return new Metric({
      namespace: metricNamespace,
      metricName: name,
      dimensionsMap: { [serviceDimension]: this.serviceName },
      statistic: metricUnits[name] === 'Milliseconds' ? Stats.percentile(99) : Stats.SUM,
      period: Duration.minutes(5),
      ...options,
    });
  }

  /** Leases granted. */
  granted(options?: MetricOptions): Metric {
    return this.metric('Granted', options);
  }

  /** Acquires that found the lock held, whether they then waited or gave up. */
  held(options?: MetricOptions): Metric {
    return this.metric('Held', options);
  }

  /** How long granted acquires waited, in milliseconds. */
  waited(options?: MetricOptions): Metric {
    return this.metric('Waited', options);
  }

  /** How long leases were held whose holder ended them, in milliseconds. */
  holdTime(options?: MetricOptions): Metric {
    return this.metric('HoldTime', options);
  }

  /** Grants of a lock whose last holder had not released it: it crashed, stood still, or was cut off. */
  takeovers(options?: MetricOptions): Metric {
    return this.metric('Takeover', options);
  }

  /** Leases that were over without their holder's doing. */
  lost(options?: MetricOptions): Metric {
    return this.metric('Lost', options);
  }

  /** Holders that somebody asked to let go. */
  releaseRequested(options?: MetricOptions): Metric {
    return this.metric('ReleaseRequested', options);
  }

  /** How long permits of semaphores were waited for, in milliseconds. */
  permitWaited(options?: MetricOptions): Metric {
    return this.metric('PermitWaited', options);
  }

  /** How many stood in a line, counted by each that joined one; the largest. */
  lineLength(options?: MetricOptions): Metric {
    return this.metric('LineLength', { statistic: Stats.MAXIMUM, ...options });
  }

  /** Leads begun. */
  leadersElected(options?: MetricOptions): Metric {
    return this.metric('LeaderElected', options);
  }

  /** Leads that were given up because somebody asked for it. */
  leadersSteppedDown(options?: MetricOptions): Metric {
    return this.metric('LeaderSteppedDown', options);
  }

  /** Writes under an old token that a guard refused. */
  staleWritesRefused(options?: MetricOptions): Metric {
    return this.metric('StaleWriteRefused', options);
  }

  /** Renewals that failed for the store's reasons. */
  renewalsFailed(options?: MetricOptions): Metric {
    return this.metric('RenewalFailed', options);
  }

  /** Releases that failed; the lock stayed held until its lease ran out. */
  releasesFailed(options?: MetricOptions): Metric {
    return this.metric('ReleaseFailed', options);
  }

  /** Requests that the table throttled until the SDK gave up. */
  storeThrottled(options?: MetricOptions): Metric {
    return this.metric('StoreThrottled', options);
  }

  /** Slices that plans wrote. */
  slicesPlanned(options?: MetricOptions): Metric {
    return this.metric('SlicesPlanned', options);
  }

  /** Slices finished. */
  slicesDone(options?: MetricOptions): Metric {
    return this.metric('SlicesDone', options);
  }

  /** Slices gone on with after a worker that had not given them back. */
  slicesTakenOver(options?: MetricOptions): Metric {
    return this.metric('SlicesTakenOver', options);
  }

  /** Slices given back before their end, most of them because the worker's time ran out. */
  slicesGivenBack(options?: MetricOptions): Metric {
    return this.metric('SlicesGivenBack', options);
  }

  /** Slices that a worker lost to another one. */
  slicesLost(options?: MetricOptions): Metric {
    return this.metric('SlicesLost', options);
  }

  /** Sightings of quarantined slices: each worker that comes by counts one. */
  slicesQuarantined(options?: MetricOptions): Metric {
    return this.metric('SlicesQuarantined', options);
  }
}
