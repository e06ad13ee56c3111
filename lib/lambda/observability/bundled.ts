import { logs } from './logs.js';
import { metrics } from './metrics.js';
import { type ObservingParts, observedBy } from './observed.js';
import { PlainLogger, PlainMetrics, writesByDefault } from './plain-writers.js';

/** Its bundle has Powertools, in a part that a start does not load where it would write by its defaults. */
const bundledParts: ObservingParts = {
  logs: async (settings) => {
    if (writesByDefault(process.env)) return logs(PlainLogger, settings);
    const { Logger } = await import('@aws-lambda-powertools/logger');
    return logs(Logger, settings);
  },
  metrics: async (settings) => {
    if (writesByDefault(process.env)) return metrics(PlainMetrics, settings);
    const { Metrics } = await import('@aws-lambda-powertools/metrics');
    return metrics(Metrics, settings);
  },
};

/**
 * A function of our own, observed: logs and metrics are on unless somebody switches them off, so what writes them comes with
 * the function. Loaded apart it would be two files more for a start to read.
 */
export function observedFunction<Parameters extends readonly unknown[], Result>(
  handler: (...parameters: Parameters) => Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  return observedBy(bundledParts, handler, {});
}
