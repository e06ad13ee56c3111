import type { Runtime } from '../../runtime/index.js';
import { metricListeners } from './event-metrics.js';
import { listen } from './library-events.js';
import { metricNamespace, metricUnits } from './metric-names.js';
import { notInstalled } from './not-installed.js';
import type { Observer } from './observer.js';

/**
 * Metrics of Powertools in CloudWatch's embedded format: written at the end of every invocation, and during a long
 * one from time to time, so that a worker that is killed takes at most so much of them with it.
 *
 * @param flushEveryMs how old a metric may become before the next event writes it, in milliseconds
 * @throws UsageError if Powertools is not installed
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export async function metrics(
  serviceName: string,
  flushEveryMs: number,
  runtime: Pick<Runtime, 'monotonicMs'>,
): Promise<Observer> {
  const Metrics = await loadMetrics();
  const collected = new Metrics({ namespace: metricNamespace, serviceName });
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

/** The try stands around the import itself: bundlers then let a package pass that is not there. */
async function loadMetrics() {
  try {
    return (await import('@aws-lambda-powertools/metrics')).Metrics;
  } catch (error) {
    throw notInstalled('metrics', error);
  }
}
