import type { SFNClient } from '@aws-sdk/client-sfn';
import { regionOf, stateMachineArns } from '../../../lib/aws/region-of.js';
import { UsageError } from '../../../lib/errors/index.js';
import { readCuts, type ScanVerdict } from '../../../lib/scan/index.js';
import { formatDuration } from '../../terminal/figures.js';
import { type Interruption, listenForInterruption } from '../../terminal/interruption.js';
import { note } from '../../terminal/output.js';
import { awsClientConfig, checkRegion } from '../aws-clients.js';
import { connect } from '../connection.js';
import { CommandFailure } from '../report-error.js';
import { type ExecutionEnd, followExecution, lastVerdict } from './follow-execution.js';
import { tellReport } from './report.js';
import { newRunName, type ScanOptions } from './scan-options.js';

/** Following an execution is in no hurry. */
const requestTimeoutMs = 10_000;

/** Starts the deployed state machine, follows it, and prints the report that it ended with. @returns the exit code */
export async function scanDeployed(options: ScanOptions, stateMachineArn: string): Promise<number> {
  const region = regionOf('state-machine', stateMachineArn, stateMachineArns, options.region);
  const { SFNClient, StartExecutionCommand } = await loadedSdk();
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

async function loadedSdk() {
  try {
    return await import('@aws-sdk/client-sfn');
  } catch (cause) {
    throw new UsageError('--state-machine needs the package @aws-sdk/client-sfn: install it', undefined, {
      cause,
    });
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
