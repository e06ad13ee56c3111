import type { Runtime } from '../../runtime/index.js';

/** What every line of an invocation carries besides Lambda's own request id. */
export type InvocationKeys = Readonly<Record<string, string | number>>;

/** Fields of our own functions' events that every line may tell. Nothing else: an event may hold secrets. */
const told = ['run', 'seat', 'operation', 'lock', 'execution'] as const;

/**
 * What can be read of an event: of a request to the lock service also when it comes through a function URL, and the
 * execution of an event that Step Functions sent. Never throws; what can't be read is left out.
 */
export function invocationKeys(event: unknown): InvocationKeys {
  const fields: Record<string, unknown> = { ...ofExecution(event), ...ofBody(event), ...record(event) };
  // In a request to the lock service the name is the lock's; in anybody else's event it may be a person's.
  if (typeof fields.operation === 'string') fields.lock = fields.name;
  return Object.fromEntries(
    told.flatMap((key) => {
      const value = fields[key];
      const isKey = (typeof value === 'string' && value !== '') || typeof value === 'number';
      return isKey ? [[key, value] as const] : [];
    }),
  );
}

function ofExecution(event: unknown): Record<string, unknown> {
  return { execution: record(record(event).detail).executionArn };
}

function ofBody(event: unknown): Record<string, unknown> {
  const { body, isBase64Encoded } = record(event);
  if (typeof body !== 'string') return {};
  try {
    return record(JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body));
  } catch {
    return {};
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** What is known of an invocation besides its event. */
export type InvocationContext = Readonly<Record<string, unknown>>;

/** What logs and metrics are made with. */
export interface PartSettings {
  readonly serviceName: string;
  /** How old a metric may become before the next event writes it, in milliseconds. */
  readonly flushEveryMs: number;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
}

/** One of logs, metrics and tracing: what goes around every invocation. */
export interface Observer {
  /**
   * Called before the handler.
   *
   * @returns what is called after it, with its error if it failed; neither throws
   */
  readonly begin: (context: InvocationContext, keys: InvocationKeys) => (failure?: Failure) => void;
}

/** That the handler threw, and what. */
export interface Failure {
  readonly error: unknown;
}
