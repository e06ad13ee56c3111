import { writeSync } from 'node:fs';
import type { Environment } from '../invocation.js';
import type { LogWriter } from './logs.js';
import type { MetricsWriter } from './metrics.js';

/*
 * What Powertools writes where nothing in the environment tells it to write otherwise: the same lines, of a hundredth of
 * the code. A function whose callers wait for its start has this, and loads Powertools only where something does.
 */

/** What changes how Powertools writes, or how much, besides all that begins with `POWERTOOLS_`. */
const changing: ReadonlySet<string> = new Set([
  'LOG_LEVEL',
  'AWS_LAMBDA_LOG_LEVEL',
  'AWS_LAMBDA_MAX_CONCURRENCY',
]);

/** Whether Powertools would write by its defaults, one invocation after the other. */
export function writesByDefault(env: Environment): boolean {
  const isUtc = !env.TZ?.trim() || env.TZ.includes('UTC');
  const changes = (name: string) =>
    changing.has(name) || (name.startsWith('POWERTOOLS_') && name !== 'POWERTOOLS_SERVICE_NAME');
  return isUtc && !Object.keys(env).some(changes);
}

/** Puts a line out: 1 is standard output, 2 standard error. */
type Print = (descriptor: 1 | 2, line: string) => void;

let writesAtOnce = true;
const ignore = () => {};

/**
 * At once, as Node's own streams write to pipes and files; to make one takes a start longer than all that it writes. A pipe
 * that is full is left to the stream from then on. Lambda's `console` would put words of its own before the line.
 */
function print(descriptor: 1 | 2, line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  let written = 0;
  try {
    while (writesAtOnce && written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch {
    writesAtOnce = false;
  }
  if (written === bytes.length) return;
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  // Nobody reads any more: that ends no work.
  stream.on('error', ignore).write(bytes.subarray(written), () => stream.off('error', ignore));
}

/** Lines of JSON, from INFO on. */
export class PlainLogger implements LogWriter {
  readonly #service: string;
  #isFirst = process.env.AWS_LAMBDA_INITIALIZATION_TYPE?.trim() === 'on-demand';
  #invocation: Readonly<Record<string, unknown>> = {};
  #tenant: unknown;
  #keys: Readonly<Record<string, unknown>> = {};

  readonly #print: Print;

  constructor({ serviceName }: { readonly serviceName: string }, put: Print = print) {
    this.#service = serviceName;
    this.#print = put;
  }

  debug(): void {}

  info(message: string, fields: object): void {
    this.#print(1, this.#line('INFO', message, fields));
  }

  warn(message: string, fields: object): void {
    this.#print(2, this.#line('WARN', message, fields));
  }

  error(message: string, fields: object): void {
    this.#print(2, this.#line('ERROR', message, fields));
  }

  addContext(context: Readonly<Record<string, unknown>>): void {
    this.#invocation = {
      cold_start: this.#isFirst,
      function_arn: context.invokedFunctionArn,
      function_memory_size: context.memoryLimitInMB,
      function_name: context.functionName,
      function_request_id: context.awsRequestId,
    };
    this.#tenant = context.tenantId;
    this.#isFirst = false;
  }

  appendKeys(keys: Readonly<Record<string, unknown>>): void {
    this.#keys = { ...this.#keys, ...keys };
  }

  resetKeys(): void {
    this.#keys = {};
  }

  #line(level: string, message: string, fields: object): string {
    const line = {
      level,
      message,
      timestamp: new Date().toISOString(),
      service: this.#service,
      ...this.#invocation,
      sampling_rate: 0,
      xray_trace_id: traceId(),
      tenant_id: this.#tenant,
      ...this.#keys,
      ...fields,
    };
    const told = Object.entries(line).filter(([, value]) => value !== '' && value !== null);
    return JSON.stringify(Object.fromEntries(told));
  }
}

/** The trace that the invocation belongs to: `Root` of what Lambda says of it. */
function traceId(): string | undefined {
  const { awslambda } = globalThis as {
    awslambda?: { InvokeStore?: { getXRayTraceId(): string | undefined } };
  };
  const trace = awslambda?.InvokeStore?.getXRayTraceId() ?? process.env._X_AMZN_TRACE_ID?.trim();
  if (!trace?.includes('=')) return trace;
  return /(?:^|;)Root=([^;=]*)/.exec(trace)?.[1];
}

/** CloudWatch takes no more values of a metric in one line. */
const maxValues = 100;

/** Metrics in CloudWatch's embedded format, in one dimension. */
export class PlainMetrics implements MetricsWriter {
  readonly #namespace: string;
  readonly #service: string;
  readonly #stored = new Map<string, { readonly unit: string; readonly values: number[] }>();

  readonly #print: Print;

  constructor(
    { namespace, serviceName }: { readonly namespace: string; readonly serviceName: string },
    put: Print = print,
  ) {
    this.#namespace = namespace;
    this.#service = serviceName;
    this.#print = put;
  }

  addMetric(name: string, unit: string, value: number): void {
    const { values } = this.#stored.get(name) ?? { values: [] as number[] };
    values.push(value);
    this.#stored.set(name, { unit, values });
    if (values.length === maxValues) this.publishStoredMetrics();
  }

  hasStoredMetrics(): boolean {
    return this.#stored.size > 0;
  }

  publishStoredMetrics(): void {
    const stored = [...this.#stored];
    this.#stored.clear();
    const metrics = stored.map(([Name, { unit }]) => ({ Name, Unit: unit }));
    const values = stored.map(([name, { values }]) => [name, values.length === 1 ? values[0] : values]);
    const line = {
      _aws: {
        Timestamp: Date.now(),
        CloudWatchMetrics: [{ Namespace: this.#namespace, Dimensions: [['service']], Metrics: metrics }],
      },
      service: this.#service,
      ...Object.fromEntries(values),
    };
    this.#print(1, JSON.stringify(line));
  }
}
