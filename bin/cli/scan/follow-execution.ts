import { DescribeExecutionCommand, GetExecutionHistoryCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { BackOff, boundedClient, sleep, systemRuntime } from '../../../lib/runtime/index.js';
import type { ScanVerdict } from '../../../lib/scan/index.js';

/** How an execution ended, in the words of Step Functions. */
export interface ExecutionEnd {
  readonly status: string;
  readonly output: string | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
}

/** How to follow. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Told at most every ten seconds that it still runs. */
  readonly tell?: (elapsedMs: number) => void;
}

/** In milliseconds. */
const spacing = { firstPauseMs: 500, maxPauseMs: 10_000 };

/** The end of one request over all its attempts, in milliseconds. */
const callTimeoutMs = 30_000;
const tellEveryMs = 10_000;

/** An execution outlives its follower's network by far; this many failures in a row are some minutes. */
const maxFailuresInARow = 20;

interface ServiceError extends Error {
  readonly $fault?: 'client' | 'server';
}

/**
 * Asks for the state of an execution until it ends, less and less often.
 *
 * @throws the signal's reason; the SDK's error when asking is refused, or fails for minutes
 */
export async function followExecution(
  sfn: SFNClient,
  executionArn: string,
  { signal, tell }: FollowOptions,
): Promise<ExecutionEnd> {
  const startedMs = performance.now();
  let toldMs = startedMs;
  let failures = 0;
  const backOff = new BackOff(systemRuntime, spacing);
  const client = boundedClient(sfn, systemRuntime, callTimeoutMs);
  for (;;) {
    try {
      const command = new DescribeExecutionCommand({ executionArn });
      const { status, output, error, cause } = await client.send(command, { abortSignal: signal });
      failures = 0;
      if (status !== 'RUNNING' && status !== 'PENDING_REDRIVE')
        return { status: status!, output, error, cause };
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (!mayPass(error as ServiceError) || failures > maxFailuresInARow) throw error;
    }
    const nowMs = performance.now();
    if (nowMs - toldMs >= tellEveryMs) {
      toldMs = nowMs;
      tell?.(nowMs - startedMs);
    }
    await sleep(systemRuntime, backOff.nextMs(), signal);
  }
}

/** Throttling and whatever is not a refusal: the network, a server's error. */
function mayPass(error: ServiceError): boolean {
  return (
    error.name === 'ThrottlingException' ||
    (error.$fault !== 'client' && error.name !== 'CredentialsProviderError')
  );
}

/** The state of the deployed scan that gives the verdict. */
const verifyState = 'Verify';

/** The verdict is among the last steps; further back it is not worth the requests. */
const newestEvents = 50;

/**
 * The verdict of an execution that failed. Step Functions hands on no output then, only an error and a cause, but
 * its history still has what Verify answered: the report that names the failures.
 *
 * @returns `undefined` if it failed before, or if the history may not be read
 */
export async function lastVerdict(sfn: SFNClient, executionArn: string): Promise<ScanVerdict | undefined> {
  try {
    const command = new GetExecutionHistoryCommand({
      executionArn,
      reverseOrder: true,
      maxResults: newestEvents,
      includeExecutionData: true,
    });
    const { events = [] } = await sfn.send(command);
    const verify = events.find(({ stateExitedEventDetails: left }) => left?.name === verifyState);
    const output = verify?.stateExitedEventDetails?.output;
    const verdict = (JSON.parse(output ?? 'null') as { verdict?: ScanVerdict } | null)?.verdict;
    return verdict?.report ? verdict : undefined;
  } catch {
    // The error and the cause of the execution are told instead.
    return undefined;
  }
}
