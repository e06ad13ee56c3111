import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleDirectory } from '../../lib/cdk/functions/bundle-directory.js';
import { type S3FaultHook, startDynamo, startS3 } from '../../lib/local/index.js';
import { parseSliceId, readRun, type ScanReport } from '../../lib/scan/index.js';
import { startCensus } from './census.js';
import { FaultWatch } from './faults/fault-watch.js';
import { orderFaults } from './faults/plan-strikes.js';
import { evidenceOfRun, type RunOutcome } from './proof/slice-evidence.js';
import type { RunProgress } from './run-progress.js';
import { definitionOfStack } from './stack/definition-of-stack.js';
import type { StartOptions } from './start-options.js';
import { type LocalLambda, startLocalLambda } from './state-machine/local-lambda.js';
import { type ExecutionOutcome, runStateMachine } from './state-machine/run-state-machine.js';
import { openStore } from './store.js';
import { isWorkerMessage, type WorkerEvent } from './worker-event.js';

const bucket = 'objects';
const outputBucket = 'results';
const outputPrefix = 'leasehold/';

/** Listings per one that begins with an empty page, when there are faults. */
const listingsPerEmptyPage = 20;

/** A stopped worker is woken after this many leases, and a while for processes to start, at the latest. */
const longestStopLeases = 4;
const longestStopExtraMs = 15_000;

/**
 * The main job: starts a DynamoDB and an S3 endpoint, runs the state machine that CDK would deploy over the
 * directory, with faults if it is asked for, and proves the result. Puts everything away before it ends.
 *
 * @throws the signal's reason; `EngineUnavailableError`; StoreError when the engine can't be used
 */
export async function performRun(
  options: StartOptions,
  progress: RunProgress,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { directory, seats, slices, pageSize, leaseMs, engine } = options;
  const run = `start-${Date.now().toString(36)}`;
  await using scratch = await scratchDirectory();
  await using stack = definitionOfStack({ seats, bucketName: bucket, leaseMs }, scratch.synthesis, signal);
  await using census = startCensus(directory, progress, signal);
  await using dynamo = await startDynamo({ allowDocker: false, ...(engine && { engine }) });
  signal.throwIfAborted();
  progress.engine = dynamo.engine;
  await using store = await openStore(dynamo);
  const buckets = { [bucket]: directory, [outputBucket]: scratch.results };
  await using s3 = await startS3({ buckets, ...(options.faults && { faults: emptyPageNowAndThen() }) });
  progress.listRequests = () => s3.requests.list;

  progress.phase = 'synthesizing the stack';
  const definition = await stack.definition;
  let watch: FaultWatch | undefined;
  await using lambda = await startRunFunctions({
    env: {
      ...store.env,
      LEASEHOLD_S3_ENDPOINT: s3.endpoint,
      LEASEHOLD_LEASE_MS: String(leaseMs),
      LEASEHOLD_OUTPUT_BUCKET: outputBucket,
      LEASEHOLD_OUTPUT_PREFIX: outputPrefix,
    },
    faultDirectory: scratch.faults,
    progress,
    onEvent: (event) => watch?.apply(event),
  });
  using watching = new FaultWatch({
    directory: scratch.faults,
    lambda,
    progress,
    longestStopMs: longestStopLeases * leaseMs + longestStopExtraMs,
  });
  watch = watching;

  progress.phase = 'planning';
  const afterPlan = async () => {
    const planned = await readRun({ locks: store.locks, run, signal });
    progress.planned(planned.slices.map(({ name }) => parseSliceId(name)));
    await orderFaults({
      options,
      slices: planned.slices,
      census: census.taken,
      directory: scratch.faults,
      progress,
    });
    progress.phase = 'scanning';
  };
  const outcome = await runStateMachine(
    definition,
    { bucket, seats, slices, pageSize },
    { invoke: seatedInvoke(lambda.invoke, progress, afterPlan), executionName: run, signal, isKnown: true },
  );
  const scanMs = progress.elapsedMs;
  await lambda.stop();

  progress.phase = 'proving';
  const report = toReport(outcome);
  const evidence = await evidenceOfRun(
    {
      run,
      directory,
      store,
      resultsDirectory: scratch.results,
      planned: progress.slices.size > 0,
      failure: toFailure(outcome),
      reported: report ?? { objects: 0, bytes: 0 },
      before: progress.walked.done ? progress.walked : undefined,
    },
    signal,
  );
  return { ...evidence, run, engine: dynamo.engine, report, scanMs, listRequests: s3.requests.list };
}

/**
 * As behind many deleted objects. Whoever takes such a page for the end misses keys, and the walk has them: the proof then
 * fails.
 */
function emptyPageNowAndThen(): S3FaultHook {
  let listings = 0;
  return ({ operation }) =>
    operation === 'list' && ++listings % listingsPerEmptyPage === 0 ? 'empty-page' : 'ok';
}

function toReport(outcome: ExecutionOutcome): ScanReport | undefined {
  if (outcome.status !== 'SUCCEEDED') return undefined;
  return (outcome.output as unknown as { readonly report: ScanReport }).report;
}

function toFailure(outcome: ExecutionOutcome): string | undefined {
  if (outcome.status === 'SUCCEEDED') return undefined;
  return outcome.status === 'FAILED' ? `${outcome.error}: ${outcome.cause}` : outcome.status;
}

/** A directory for what a run needs while it goes on. */
interface ScratchDirectory extends AsyncDisposable {
  /** Served as the bucket of results. */
  readonly results: string;
  /** Orders of faults, and notes of the blows that fell. */
  readonly faults: string;
  /** Temporary files of the process that synthesizes the stack. */
  readonly synthesis: string;
}

/** Makes one under the system's directory of temporary files; it goes with the run, and with this process at the latest. */
async function scratchDirectory(): Promise<ScratchDirectory> {
  const root = await mkdtemp(join(tmpdir(), 'leasehold-start-'));
  const removeNow = () => rmSync(root, { recursive: true, force: true });
  process.on('exit', removeNow);
  const places = {
    results: join(root, 'results'),
    faults: join(root, 'faults'),
    synthesis: join(root, 'synthesis'),
  };
  for (const place of Object.values(places)) await mkdir(place);
  return {
    ...places,
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true });
      process.off('exit', removeNow);
    },
  };
}

/** As deployed: 15 minutes for a worker, 5 for the others. */
const workTimeoutMs = 900_000;
const otherTimeoutMs = 300_000;

/** What the functions of a run are made of. */
interface RunFunctionsParts {
  /** Their environment: endpoints, tables, the lease. */
  readonly env: Readonly<Record<string, string>>;
  readonly faultDirectory: string;
  readonly progress: RunProgress;
  /** Told what workers do, after the progress has it. */
  readonly onEvent: (event: WorkerEvent) => void;
}

/**
 * Starts the three functions from the bundles that would be deployed, each invocation in a process. Nothing in them
 * knows of this run's view or its faults: both ride on a module that is loaded before.
 */
function startRunFunctions(parts: RunFunctionsParts): Promise<LocalLambda> {
  const { env, faultDirectory, progress, onEvent } = parts;
  const preload = [
    fileURLToPath(new URL(`faults/worker-preload${readExtension(import.meta.url)}`, import.meta.url)),
  ];
  const handler = (name: 'plan' | 'work' | 'verify') => join(bundleDirectory(name), 'index.mjs');
  return startLocalLambda({
    functions: {
      plan: { handler: handler('plan'), env, timeoutMs: otherTimeoutMs },
      work: {
        handler: handler('work'),
        env: { ...env, LEASEHOLD_FAULT_DIRECTORY: faultDirectory },
        timeoutMs: workTimeoutMs,
        preload,
      },
      verify: { handler: handler('verify'), env, timeoutMs: otherTimeoutMs },
    },
    onMessage({ pid }, message) {
      if (!isWorkerMessage(message)) return;
      progress.apply(pid, message.workerEvent);
      onEvent(message.workerEvent);
    },
  });
}

function readExtension(url: string): string {
  return url.slice(url.lastIndexOf('.'));
}

/**
 * Invokes functions, and tells the progress which seats are at work.
 *
 * @param afterPlan what must be done when the plan is made and before the first worker starts
 */
function seatedInvoke(
  invoke: LocalLambda['invoke'],
  progress: RunProgress,
  afterPlan: () => Promise<void>,
): LocalLambda['invoke'] {
  return async (name, event, signal) => {
    const seat = name === 'work' ? (event as { readonly seat: number }).seat : undefined;
    if (seat !== undefined) progress.seatIs(seat, 'starting');
    if (name === 'verify') progress.phase = 'verifying';
    const answer = await invoke(name, event, signal);
    if (seat !== undefined) progress.seatIs(seat, 'done');
    if (name === 'plan') await afterPlan();
    return answer;
  };
}
