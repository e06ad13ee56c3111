import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { logs } from './logs.js';
import { metrics } from './metrics.js';
import { type ObservingParts, observedBy } from './observed.js';

const bundledParts: ObservingParts = {
  logs: (settings) => logs(Logger, settings),
  metrics: (settings) => metrics(Metrics, settings),
};

/**
 * A function of our own, observed: its bundle has Powertools, and logs and metrics are on unless somebody switches them
 * off, so they come with the function. Loaded apart they would be four files more for a start to read.
 */
export function observedFunction<Parameters extends readonly unknown[], Result>(
  handler: (...parameters: Parameters) => Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  return observedBy(bundledParts, handler, {});
}
