import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { regionOf, tableArns } from '../aws/region-of.js';
import { sdkRequests } from '../aws/sdk-requests.js';
import { defaults } from '../client/client-options.js';
import { elapsedBetween, StoreClock } from '../clock/store-clock.js';
import { UsageError } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';
import { type LeaseContext, tableStore } from '../lease/index.js';
import { deadlineAfter, type Runtime, systemRuntime } from '../runtime/index.js';
import {
  createLockService,
  endExecution,
  isStatusChange,
  isUrlEvent,
  type LockServiceAnswers,
  overHttp,
  stepFunctions,
} from '../service/index.js';
import { dynamoTable } from '../table/index.js';
import type { Environment, RemainingTime } from './invocation.js';

/** Kept back from the invocation's time for telling that the store did not answer, in milliseconds. */
const reserveMs = 250;

/**
 * The handler of the lock service. It answers one JSON request per invocation, or the request in a call of the
 * function's URL; an event of EventBridge that an execution's status has changed frees what that execution held.
 *
 * @param options.env where the settings are read from. @default process.env
 * @param options.service what answers. @default one that is made from the settings at the first invocation
 * @param options.runtime what an invocation's time is measured by. @default the system's clocks and timers
 * @returns a handler that answers errors as `{ ok: false, error }`; it throws them, by their `name`, where the request
 *   says `"throw": true`, and a UsageError for settings that can't be right
 * @throws UsageError for an option that it does not have
 */
export function createLockServiceHandler(
  options: {
    readonly env?: Environment;
    readonly service?: LockServiceAnswers;
    readonly runtime?: Runtime;
  } = {},
): (event: unknown, context: RemainingTime) => Promise<unknown> {
  checkOptions('createLockServiceHandler', options, ['env', 'service', 'runtime']);
  return handlerWith(options);
}

/**
 * As {@link createLockServiceHandler}, for a function that is this handler and nothing else: its client is made, connects and
 * asks for the time while the function starts, so that the first caller waits for less.
 */
export function startLockServiceHandler(
  env: Environment = process.env,
): ReturnType<typeof createLockServiceHandler> {
  return handlerWith({ env }, askAhead(env));
}

function handlerWith(
  options: NonNullable<Parameters<typeof createLockServiceHandler>[0]>,
  ahead?: Ahead,
): ReturnType<typeof createLockServiceHandler> {
  let { service } = options;
  const { runtime = systemRuntime } = options;
  return async (event, context) => {
    if (!service) {
      // Not when the module loads: an error there has no name that a state machine could match.
      const settings = lockServiceSettings(options.env ?? process.env);
      ahead?.dropIfOld();
      service = makeService(settings, ahead?.context ?? makeContext(settings), context.invokedFunctionArn);
    }
    const { host, answer } = service;
    const deadline = deadlineAfter(runtime, Math.max(1, context.getRemainingTimeInMillis() - reserveMs));
    try {
      if (isStatusChange(event)) return await endExecution(host, event, deadline.signal);
      if (isUrlEvent(event)) return await overHttp(event, (request) => answer(request, deadline.signal));
      return await answer(event, deadline.signal);
    } finally {
      deadline.clear();
    }
  };
}

/** What was begun before anybody asked. */
interface Ahead {
  readonly context: LeaseContext;
  /** Gives the request for the time up where it is under way for long: whoever needs the time then sends one anew. */
  readonly dropIfOld: () => void;
}

/** Between its start and its first invocation a function may be frozen, and what it has sent come to nothing: in milliseconds. */
const oldMs = 250;

/** @returns undefined for settings that can't be right: the first caller is told */
function askAhead(env: Environment): Ahead | undefined {
  try {
    const context = makeContext(lockServiceSettings(env));
    const { clock, store } = context;
    const since = clock.instant();
    const asking = new AbortController();
    // Where it fails the first caller asks again.
    store.ensureTime(asking.signal).catch(() => {});
    const dropIfOld = () => {
      if (elapsedBetween(since, clock.instant()).most > oldMs) asking.abort();
    };
    return { context, dropIfOld };
  } catch {
    return undefined;
  }
}

function makeService(
  settings: LockServiceSettings,
  context: LeaseContext,
  functionArn = '',
): LockServiceAnswers {
  const { names, groups, operations, maxLeaseMs, region, stepFunctionsEndpoint } = settings;
  return createLockService({
    context,
    operations,
    ...(names && { names }),
    ...(groups && { groups }),
    ...(maxLeaseMs !== undefined && { maxLeaseMs }),
    executions: stepFunctions({
      region,
      account: functionArn.split(':')[4] || undefined,
      endpoint: stepFunctionsEndpoint,
    }),
  });
}

function makeContext({ table: tableName, dynamoEndpoint }: LockServiceSettings): LeaseContext {
  const { requestTimeoutMs, maxAttempts, skewMs, retentionMs } = defaults;
  const runtime = systemRuntime;
  const clock = new StoreClock(runtime, skewMs);
  const region = regionOf('LEASEHOLD_TABLE', tableName, tableArns);
  const client = new DynamoDBClient({
    ...(region !== undefined && { region }),
    ...(dynamoEndpoint !== undefined && { endpoint: dynamoEndpoint }),
    maxAttempts,
    ...sdkRequests(requestTimeoutMs),
  });
  const callTimeoutMs = requestTimeoutMs * maxAttempts;
  const table = dynamoTable({ client, isClientOurs: true, tableName, clock, runtime, callTimeoutMs });
  const context = { clock, runtime, table, skewMs, retentionMs };
  return { ...context, store: tableStore(context) };
}

/** What the lock service reads from its environment. */
interface LockServiceSettings {
  /** `LEASEHOLD_TABLE`: the lease table's name. */
  readonly table: string;
  /** `LEASEHOLD_NAMES`: the names that callers may use, as a JSON list of patterns; absent: all. */
  readonly names: readonly string[] | undefined;
  /** `LEASEHOLD_GROUPS`: the groups that callers may put locks into, in the same form; absent: as the names. */
  readonly groups: readonly string[] | undefined;
  /** `LEASEHOLD_OPERATIONS`: `use` for callers, `operate` for operators. @default use */
  readonly operations: 'use' | 'operate';
  /** `LEASEHOLD_MAX_LEASE_MS`: the longest lease that a caller may ask for, in milliseconds. @default 900000 */
  readonly maxLeaseMs: number | undefined;
  /** `AWS_REGION`, which Lambda sets. */
  readonly region: string | undefined;
  /** `LEASEHOLD_DYNAMODB_ENDPOINT`: another address of DynamoDB, for tests. */
  readonly dynamoEndpoint: string | undefined;
  /** `LEASEHOLD_STEPFUNCTIONS_ENDPOINT`: another address of Step Functions, for tests. */
  readonly stepFunctionsEndpoint: string | undefined;
}

/** @throws UsageError that names the variable, what it must be, and its value */
export function lockServiceSettings(env: Environment): LockServiceSettings {
  const present = (name: string) => env[name]?.trim() || undefined;
  const table = present('LEASEHOLD_TABLE');
  if (!table) throw new UsageError('LEASEHOLD_TABLE: the name of the lease table is missing');
  return {
    table,
    names: parsePatterns('LEASEHOLD_NAMES', present('LEASEHOLD_NAMES')),
    groups: parsePatterns('LEASEHOLD_GROUPS', present('LEASEHOLD_GROUPS')),
    operations: parseOperations(present('LEASEHOLD_OPERATIONS')),
    maxLeaseMs: parseMaxLease(present('LEASEHOLD_MAX_LEASE_MS')),
    region: present('AWS_REGION'),
    dynamoEndpoint: present('LEASEHOLD_DYNAMODB_ENDPOINT'),
    stepFunctionsEndpoint: present('LEASEHOLD_STEPFUNCTIONS_ENDPOINT'),
  };
}

function parsePatterns(variable: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  let names: unknown;
  try {
    names = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw new UsageError(`${variable}: must be a JSON list of strings, got "${text}"`);
}

function parseOperations(text = 'use'): 'use' | 'operate' {
  if (text === 'use' || text === 'operate') return text;
  throw new UsageError(`LEASEHOLD_OPERATIONS: must be "use" or "operate", got "${text}"`);
}

function parseMaxLease(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const maxLeaseMs = Number(text);
  if (Number.isSafeInteger(maxLeaseMs) && maxLeaseMs >= 1_000) return maxLeaseMs;
  throw new UsageError(
    `LEASEHOLD_MAX_LEASE_MS: must be a whole number of milliseconds, at least 1000, got "${text}"`,
  );
}
