import { type Listeners, listen } from './library-events.js';
import { lossMetrics, type MetricName, metricNamespace, metricUnits } from './metric-names.js';
import type { Observer, PartSettings } from './observer.js';

/** What is used of Powertools' Metrics. */
export interface MetricsWriter {
  addMetric(name: MetricName, unit: (typeof metricUnits)[MetricName], value: number): unknown;
  hasStoredMetrics(): boolean;
  publishStoredMetrics(): unknown;
}

/**
 * Metrics in CloudWatch's embedded format: written at the end of every invocation, and during a long
 * one from time to time, so that a worker that is killed takes at most so much of them with it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function metrics(
  Writer: new (options: { readonly namespace: string; readonly serviceName: string }) => MetricsWriter,
  { serviceName, flushEveryMs, runtime }: PartSettings,
): Observer {
  const collected = new Writer({ namespace: metricNamespace, serviceName });
  let flushedAtMs = runtime.monotonicMs();
  const flush = () => {
    flushedAtMs = runtime.monotonicMs();
    if (collected.hasStoredMetrics()) collected.publishStoredMetrics();
  };
  listen(metricListeners((name, value) => collected.addMetric(name, metricUnits[name], value)));
  // After the listeners that count: channels call theirs in the order in which they came.
  const flushWhenOld = () => {
    if (runtime.monotonicMs() - flushedAtMs >= flushEveryMs) flush();
  };
  listen({
    granted: flushWhenOld,
    renewed: flushWhenOld,
    released: flushWhenOld,
    completed: flushWhenOld,
    'handed-over': flushWhenOld,
    lost: flushWhenOld,
  });
  return { begin: () => flush };
}

/** Adds a value to a metric. */
export type AddMetric = (name: MetricName, value: number) => void;

/** What each event counts as. */
export function metricListeners(add: AddMetric): Listeners {
  return {
    granted({ waitedMs, takenOverFrom }) {
      add('Granted', 1);
      add('Waited', Math.round(waitedMs));
      if (takenOverFrom) add('Takeover', 1);
    },
    held: () => add('Held', 1),
    released: ({ heldMs }) => add('HoldTime', Math.round(heldMs)),
    completed: ({ heldMs }) => add('HoldTime', Math.round(heldMs)),
    // Whoever goes on with it has a lease of its own, and tells of that one.
    'handed-over': ({ heldMs }) => add('HoldTime', Math.round(heldMs)),
    lost({ reason }) {
      add('Lost', 1);
      add(lossMetrics[reason], 1);
    },
    'stale-write-refused': () => add('StaleWriteRefused', 1),
    'release-requested': () => add('ReleaseRequested', 1),
    'permit-granted': ({ waitedMs }) => add('PermitWaited', Math.round(waitedMs)),
    'line-joined': ({ length }) => add('LineLength', length),
    elected: () => add('LeaderElected', 1),
    'lead-ended': ({ why }) => {
      if (why === 'asked') add('LeaderSteppedDown', 1);
    },
    'renewal-failed': () => add('RenewalFailed', 1),
    'release-failed': () => add('ReleaseFailed', 1),
    throttled: () => add('StoreThrottled', 1),
    'scan-planned': ({ slices, existed }) => {
      if (!existed) add('SlicesPlanned', slices);
    },
    'scan-slice-acquired': ({ takenOver }) => {
      if (takenOver) add('SlicesTakenOver', 1);
    },
    'scan-slice-completed': () => add('SlicesDone', 1),
    'scan-slice-released': () => add('SlicesGivenBack', 1),
    'scan-slice-lost': () => add('SlicesLost', 1),
    'scan-slice-quarantined': () => add('SlicesQuarantined', 1),
  };
}
