import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { regionOf, tableArns } from '../aws/region-of.js';
import { sdkRequests } from '../aws/sdk-requests.js';
import { defaults } from '../client/client-options.js';
import { StoreClock } from '../clock/store-clock.js';
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
import { DynamoTable } from '../table/index.js';
import type { Environment, RemainingTime } from './invocation.js';
import { type LockServiceSettings, lockServiceSettings } from './lock-service-settings.js';

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
 */
export function createLockServiceHandler(
  options: {
    readonly env?: Environment;
    readonly service?: LockServiceAnswers;
    readonly runtime?: Runtime;
  } = {},
): (event: unknown, context: RemainingTime) => Promise<unknown> {
  let { service } = options;
  const { runtime = systemRuntime } = options;
  return async (event, context) => {
    // Not when the module loads: an error there has no name that a state machine could match.
    service ??= makeService(lockServiceSettings(options.env ?? process.env), context.invokedFunctionArn);
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

function makeService(settings: LockServiceSettings, functionArn = ''): LockServiceAnswers {
  const { names, groups, operations, maxLeaseMs, region, stepFunctionsEndpoint } = settings;
  return createLockService({
    context: makeContext(settings),
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
  const table = new DynamoTable({ client, tableName, clock, runtime, callTimeoutMs });
  const context = { clock, runtime, table, skewMs, retentionMs };
  return { ...context, store: tableStore(context) };
}
