import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LibraryEvents } from '../../../../lib/lambda/observability/library-events.js';
import { type LogWriter, logListeners } from '../../../../lib/lambda/observability/logs.js';
import { metricNamespace, metricUnits } from '../../../../lib/lambda/observability/metric-names.js';
import { type MetricsWriter, metricListeners } from '../../../../lib/lambda/observability/metrics.js';
import {
  PlainLogger,
  PlainMetrics,
  writesByDefault,
} from '../../../../lib/lambda/observability/plain-writers.js';
import { sampleEvents } from '../../../support/sample-events.js';

type Name = keyof LibraryEvents;
const names = Object.keys(sampleEvents) as Name[];
const serviceName = 'orders';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** What both write of the same, each line with its stream; the clock stands still. */
function written<Writer>(theirs: () => Writer, ours: () => Writer, use: (writer: Writer) => void) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 11, 1) });
  const lines: string[] = [];
  const spies = ([process.stdout, process.stderr] as const).map((stream, index) =>
    vi.spyOn(stream, 'write').mockImplementation((text, ...rest) => {
      lines.push(`${index + 1} ${String(text).trimEnd()}`);
      for (const told of rest) if (typeof told === 'function') told();
      return true;
    }),
  );
  try {
    use(theirs());
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  put.length = 0;
  use(ours());
  return { theirs: lines, ours: [...put] };
}

const put: string[] = [];
const putting = (descriptor: number, line: string) => put.push(`${descriptor} ${line}`);

function writtenByLoggers(use: (logger: LogWriter) => void) {
  return written<LogWriter>(
    () => new Logger({ serviceName }),
    () => new PlainLogger({ serviceName }, putting),
    use,
  );
}

const invocation = {
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:111111111111:function:locks',
  memoryLimitInMB: '1769',
  functionName: 'locks',
  functionVersion: '$LATEST',
  awsRequestId: 'request-1',
} as never;

describe('lines without Powertools are the same, byte for byte', () => {
  it.each(names)('of the event %s', (name) => {
    const { theirs, ours } = writtenByLoggers((logger) => {
      logger.addContext(invocation);
      logger.appendKeys({ operation: 'acquire', lock: 'n', run: '', seat: 0 });
      const listeners = logListeners((level, message, fields) => logger[level](message, fields));
      listeners[name]?.(sampleEvents[name] as never);
      logger.resetKeys();
      listeners[name]?.(sampleEvents[name] as never);
    });
    expect(ours).toEqual(theirs);
  });

  it('before, in and after invocations of a new process, traced or not, of one tenant or of all', () => {
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand');
    const { theirs, ours } = writtenByLoggers((logger) => {
      logger.info('a line', { a: 1 });
      logger.addContext(invocation);
      for (const trace of ['Root=1-5759e988-bd862e3fe1be46a994272793;Parent=5;Sampled=1', 'alone', '']) {
        vi.stubEnv('_X_AMZN_TRACE_ID', trace);
        logger.warn('a line', { nested: { none: undefined, empty: '' }, empty: '', none: null });
      }
      logger.addContext({ ...(invocation as object), tenantId: 't' } as never);
      logger.appendKeys({ lock: 'n' });
      logger.error('a line', { lock: 'another', list: [1, 'ü', { a: [] }] });
      logger.debug('a line', {});
    });
    expect(ours).toEqual(theirs);
    expect(ours).toHaveLength(5);
  });

  it('of metrics, once and often', () => {
    const { theirs, ours } = written<MetricsWriter>(
      () => new Metrics({ namespace: metricNamespace, serviceName }),
      () => new PlainMetrics({ namespace: metricNamespace, serviceName }, putting),
      (metrics) => {
        const listeners = metricListeners((name, value) => metrics.addMetric(name, metricUnits[name], value));
        for (const name of names) listeners[name]?.(sampleEvents[name] as never);
        metrics.publishStoredMetrics();
        for (let call = 0; call < 250; call++) listeners.granted?.(sampleEvents.granted);
        if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
        expect(metrics.hasStoredMetrics()).toBe(false);
      },
    );
    expect(ours).toEqual(theirs);
    expect(ours.length).toBeGreaterThan(3);
  });
});

describe('Powertools writes', () => {
  it.each([
    ['POWERTOOLS_LOG_LEVEL', 'DEBUG'],
    ['POWERTOOLS_METRICS_DISABLED', 'true'],
    ['LOG_LEVEL', 'WARN'],
    ['AWS_LAMBDA_LOG_LEVEL', 'ERROR'],
    ['AWS_LAMBDA_MAX_CONCURRENCY', '10'],
    ['TZ', 'Europe/Berlin'],
  ])('where %s tells it how', (variable, value) => {
    expect(writesByDefault({ [variable]: value })).toBe(false);
  });

  it('nothing that its name, a time zone that is its own, or anything else would change', () => {
    expect(writesByDefault({ POWERTOOLS_SERVICE_NAME: 'orders', TZ: ':UTC', HOME: '/' })).toBe(true);
    expect(writesByDefault({})).toBe(true);
  });
});
