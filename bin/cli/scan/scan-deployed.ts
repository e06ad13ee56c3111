import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { regionOf, stateMachineArns } from '../../../lib/aws/region-of.js';
import { BackOff, boundedClient, sleep, systemRuntime } from '../../../lib/runtime/index.js';
import type { ScanVerdict } from '../../../lib/scan/index.js';
// Not by the index: who follows an execution needs no client of S3.
import { readCuts } from '../../../lib/scan/slices/read-run.js';
import { formatDuration } from '../../terminal/figures.js';
import { type Interruption, listenForInterruption } from '../../terminal/interruption.js';
import { note } from '../../terminal/output.js';
import { awsClientConfig, checkRegion, connect } from '../connection.js';
import { CommandFailure } from '../report-error.js';
import { tellReport } from './report.js';
import { newRunName, type ScanOptions } from './scan-options.js';

/** Following an execution is in no hurry. */
const requestTimeoutMs = 10_000;

/** Starts the deployed state machine, follows it, and prints the report that it ended with. @returns the exit code */
export async function scanDeployed(options: ScanOptions, stateMachineArn: string): Promise<number> {
  const region = regionOf('state-machine', stateMachineArn, stateMachineArns, options.region);
  const startedMs = performance.now();
  let executionArn: string | undefined;
  using interruption = listenForInterruption();
  const { signal } = interruption;
  const input = await executionInput(options, signal);
  const sfn = new SFNClient(await awsClientConfig(region, requestTimeoutMs));
  await checkRegion(sfn);
  // The name makes starting idempotent: the SDK's own retry finds the execution that it has started.
  const name = newRunName();
  try {
    const start = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
    executionArn = (await sfn.send(start, { abortSignal: signal })).executionArn!;
    if (!options.json) note(`execution ${executionArn} started`);
    const end = await followed(sfn, executionArn, interruption, options);
    const verdict =
      end.status === 'SUCCEEDED' ? parseVerdict(end.output) : await lastVerdict(sfn, executionArn);
    if (!verdict) throw ended(executionArn, end);
    return tellReport(
      {
        verdict: { ...verdict, run: verdict.run ?? options.run ?? name },
        durationMs: performance.now() - startedMs,
        extra: { executionArn, executionStatus: end.status },
        ...(options.location && { location: options.location }),
      },
      options,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    throw executionArn === undefined
      ? interruption.ended(`an execution named ${name} may have been started`, { execution: name })
      : interruption.ended(goesOn(executionArn), { executionArn });
  } finally {
    sfn.destroy();
  }
}

/** Only what was said: the state machine has defaults for the rest. */
async function executionInput(options: ScanOptions, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { location, seats, slices, pageSize, run, cutsFrom, requesterPays } = options;
  return {
    ...location,
    ...(seats !== undefined && { seats }),
    ...(slices !== undefined && { slices }),
    ...(pageSize !== undefined && { pageSize }),
    ...(run !== undefined && { run }),
    ...(requesterPays && { requesterPays }),
    ...(cutsFrom !== undefined && { cuts: await cutsOfRun(options, cutsFrom, signal) }),
  };
}

async function cutsOfRun(options: ScanOptions, run: string, signal: AbortSignal): Promise<readonly string[]> {
  await using connection = await connect(options);
  return readCuts({ locks: connection.locks, run, signal });
}

function followed(
  sfn: SFNClient,
  executionArn: string,
  { signal }: Interruption,
  { json }: ScanOptions,
): Promise<ExecutionEnd> {
  const tell = (elapsedMs: number) => note(`running for ${formatDuration(elapsedMs)}`);
  return followExecution(sfn, executionArn, { signal, ...(!json && { tell }) });
}

function parseVerdict(output: string | undefined): ScanVerdict | undefined {
  try {
    const verdict = JSON.parse(output ?? '') as ScanVerdict | null;
    return verdict?.report ? verdict : undefined;
  } catch {
    return undefined;
  }
}

function ended(executionArn: string, { status, error, cause }: ExecutionEnd): CommandFailure {
  const why = [error, cause].filter(Boolean).join(': ') || 'its output is not a report of a scan';
  return new CommandFailure('EXECUTION_FAILED', `The execution ended ${status}: ${why}`, {
    executionArn,
    executionStatus: status,
    ...(error && { error }),
    ...(cause && { reason: cause }),
  });
}

function goesOn(executionArn: string): string {
  return `the execution goes on; stop it with: aws stepfunctions stop-execution --execution-arn ${executionArn}`;
}

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
