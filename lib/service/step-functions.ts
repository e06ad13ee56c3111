import type { DescribeExecutionOutput, SFNClient } from '@aws-sdk/client-sfn';
import { sdkRequests } from '../aws/sdk-requests.js';
import { deadlineAfter, sendUntil, systemRuntime } from '../runtime/index.js';
import type { ExecutionState, ExecutionWatch } from './execution-watch.js';

/** How {@link stepFunctions} is set up. */
export interface StepFunctionsOptions {
  /** The service's own Region: executions of others are not asked for. @default whichever the execution is in */
  readonly region?: string | undefined;
  /** The service's own account: executions of others are not asked for. @default whichever the execution is in */
  readonly account?: string | undefined;
  /** Another address of Step Functions, for tests. */
  readonly endpoint?: string | undefined;
  /** The end of one attempt, in milliseconds. @default 1000 */
  readonly requestTimeoutMs?: number;
}

/**
 * Asks Step Functions. Its client is loaded when the first lock is seen that an execution holds: most services never
 * need it.
 */
export function stepFunctions(options: StepFunctionsOptions = {}): ExecutionWatch {
  const clients = new Map<string, SFNClient>();
  return {
    async findState(execution, signal) {
      const [, , , region = '', account = '', kind] = execution.split(':');
      // Step Functions describes no execution of an express workflow.
      if (kind !== 'execution' || region !== (options.region ?? region)) return 'unknown';
      if (account !== (options.account ?? account)) return 'unknown';
      try {
        const { DescribeExecutionCommand, SFNClient } = await import('@aws-sdk/client-sfn');
        const client = clients.get(region) ?? new SFNClient(clientConfig(region, options));
        clients.set(region, client);
        const command = new DescribeExecutionCommand({ executionArn: execution });
        const { status } = await sendUntil(
          deadlineAfter(systemRuntime, callTimeoutMs, signal),
          (abortSignal) => client!.send(command, { abortSignal }),
        );
        return findState(status);
      } catch (error) {
        return toState(error);
      }
    },
  };
}

/** What a permission or an argument makes impossible stays so; all else may work the next time. */
function toState(error: unknown): ExecutionState {
  const { name, $metadata } = (error ?? {}) as {
    readonly name?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  if (name === 'ExecutionDoesNotExist') return 'missing';
  const status = $metadata?.httpStatusCode ?? 0;
  const isThrottled = status === 429 || /Throttl|TooManyRequests/.test(name ?? '');
  return status >= 400 && status < 500 && !isThrottled ? 'unknown' : 'unreachable';
}

const ended: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']);

/** A status that is new to this code is no proof of an end. */
function findState(status: DescribeExecutionOutput['status']): ExecutionState {
  if (status === undefined) return 'unknown';
  return ended.has(status) ? 'ended' : 'running';
}

/** The end of one request, in milliseconds, also where the client has no credentials to send it with. */
const callTimeoutMs = 3_000;

function clientConfig(region: string, { endpoint, requestTimeoutMs = 1_000 }: StepFunctionsOptions) {
  return {
    region,
    ...(endpoint !== undefined && { endpoint }),
    // Asked again by the next taker; a caller waits for this one.
    maxAttempts: 1,
    ...sdkRequests(requestTimeoutMs),
  };
}
