import { refuse } from '../../errors/index.js';
import { checkNumber, checkOptions } from '../../lease/check-options.js';
import { systemRuntime } from '../../runtime/index.js';
import type { Environment } from '../invocation.js';
import { defaultServiceName } from './metric-names.js';
import {
  type Failure,
  type InvocationContext,
  type InvocationKeys,
  invocationKeys,
  type Observer,
  type PartSettings,
} from './observer.js';
import { notInstalled, readSwitches } from './switches.js';

/** Options of {@link observed}. */
export interface ObservedOptions {
  /**
   * The value of the metrics' dimension `service`, and a key of every line.
   *
   * @default the environment variable POWERTOOLS_SERVICE_NAME, or else `leasehold`
   */
  readonly service?: string;
  /** What every line and trace of an invocation carries. @default run, seat, lock, operation, execution, where the event has them */
  readonly readKeys?: (event: unknown) => InvocationKeys;
  /** In an invocation that lasts, metrics are written at least this often while leases are renewed, in milliseconds; 0: with each event. @default 60000 */
  readonly flushEveryMs?: number;
  /** Where the switches are read from: LEASEHOLD_LOGS, LEASEHOLD_METRICS, LEASEHOLD_TRACING, each `on` or `off`. @default process.env */
  readonly env?: Environment;
}

const defaultFlushEveryMs = 60_000;

/**
 * Puts logs, metrics and tracing around a handler, by Powertools for AWS Lambda, which you install: what the library tells on its
 * diagnostics channels becomes lines and metrics. Wrap a function's one handler, once.
 *
 * ```ts
 * export const handler = observed(async (event: Order) => locks.withLock(event.id, settle));
 * ```
 *
 * What only watches never fails the invocation: its own errors are dropped, the handler's come out unchanged.
 *
 * @returns a handler with the same arguments and result; it also throws UsageError for a switch that is neither on
 *   nor off, and for a part that is on and whose Powertools are not installed
 * @throws UsageError for what is no function, and for an option that can't be right
 */
export function observed<Parameters extends readonly unknown[], Result>(
  handler: (...parameters: Parameters) => Promise<Result> | Result,
  options: ObservedOptions = {},
): (...parameters: Parameters) => Promise<Result> {
  if (typeof handler !== 'function') refuse('observed', 'given the handler as a function', handler);
  checkOptions('observed', options, ['service', 'readKeys', 'flushEveryMs', 'env']);
  if (options.flushEveryMs !== undefined) checkNumber('flushEveryMs', options.flushEveryMs, 0);
  return observedBy(installedParts, handler, options);
}

/** The parts that programs load in different ways: what writes by Powertools' Logger and Metrics. */
export interface ObservingParts {
  readonly logs: (settings: PartSettings) => Observer | Promise<Observer>;
  readonly metrics: (settings: PartSettings) => Observer | Promise<Observer>;
}

/** What Node finds. The try stands around each import itself: bundlers then let a package pass that is not there. */
const installedParts: ObservingParts = {
  logs: async (settings) => {
    const { logs } = await import('./logs.js');
    return logs(await loadLogger(), settings);
  },
  metrics: async (settings) => {
    const { metrics } = await import('./metrics.js');
    return metrics(await loadMetrics(), settings);
  },
};

async function loadLogger() {
  try {
    return (await import('@aws-lambda-powertools/logger')).Logger;
  } catch (error) {
    throw notInstalled('logs', error);
  }
}

async function loadMetrics() {
  try {
    return (await import('@aws-lambda-powertools/metrics')).Metrics;
  } catch (error) {
    throw notInstalled('metrics', error);
  }
}

/** {@link observed}, by parts that were loaded in another way. */
export function observedBy<Parameters extends readonly unknown[], Result>(
  parts: ObservingParts,
  handler: (...parameters: Parameters) => Promise<Result> | Result,
  options: ObservedOptions,
): (...parameters: Parameters) => Promise<Result> {
  let observers: Promise<readonly Observer[]> | undefined;
  return async (...parameters) => {
    // Lambda gives both, also to a handler that takes only the first.
    const [event, context] = parameters;
    // Not when the module loads: an error there has no name that a state machine could match.
    observers ??= beginParts(parts, options);
    const about = quietly(() => (options.readKeys ?? invocationKeys)(event)) ?? {};
    const ends = (await observers).map(
      ({ begin }) => quietly(() => begin((context ?? {}) as InvocationContext, about)) ?? (() => {}),
    );
    let failure: Failure | undefined;
    try {
      return await handler(...parameters);
    } catch (error) {
      failure = { error };
      throw error;
    } finally {
      for (const end of ends.reverse()) quietly(() => end(failure));
    }
  };
}

/** Each part is loaded only when it is switched on. */
async function beginParts(
  { logs, metrics }: ObservingParts,
  options: ObservedOptions,
): Promise<readonly Observer[]> {
  const env = options.env ?? process.env;
  const on = readSwitches(env);
  const settings: PartSettings = {
    serviceName: options.service ?? (env.POWERTOOLS_SERVICE_NAME?.trim() || defaultServiceName),
    flushEveryMs: options.flushEveryMs ?? defaultFlushEveryMs,
    runtime: systemRuntime,
  };
  const parts = [
    on.tracing && import('./tracing.js').then(({ tracing }) => tracing(settings.serviceName)),
    on.logs && logs(settings),
    on.metrics && metrics(settings),
  ];
  return Promise.all(parts.filter((part) => part !== false));
}

function quietly<Value>(observe: () => Value): Value | undefined {
  try {
    return observe();
  } catch {
    return undefined;
  }
}
