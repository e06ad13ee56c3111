import { S3Client } from '@aws-sdk/client-s3';
import { requestTimeoutFor } from '../../../lib/client/client-options.js';
import type { LockClient } from '../../../lib/client/index.js';
import type { StoreError } from '../../../lib/errors/index.js';
import { BackOff, childSignal, retry, sleep } from '../../../lib/runtime/index.js';
import {
  inventory,
  type Processor,
  planScan,
  readCuts,
  readRun,
  type ScanVerdict,
  type SeatAnswer,
  verifyScan,
  workSeat,
} from '../../../lib/scan/index.js';
import { payForRequests, s3Address } from '../../../lib/scan/listing/s3-requests.js';
import { checkTable } from '../../../lib/table/check-table.js';
import { plural } from '../../terminal/figures.js';
import { type Interruption, listenForInterruption } from '../../terminal/interruption.js';
import { awsClientConfig, type Connection, connect } from '../connection.js';
import { CommandFailure, reportError } from '../report-error.js';
import { ScanProgress } from './progress.js';
import { type ProgressView, progressView } from './progress-view.js';
import { type FinishedScan, tellReport } from './report.js';
import { defaultSeats, locationText, newRunName, type S3Location, type ScanOptions } from './scan-options.js';

const defaultLeaseMs = 30_000;

/** A listing of a thousand keys far away takes a second or two; the lease is renewed meanwhile. */
const s3TimeoutMs = 20_000;

/** Releasing takes one request with its retries; a store that does not answer must not keep the user waiting. */
const releaseLimitMs = 10_000;

/** Plans, works and verifies with seats in this process. @returns the exit code */
export async function scanHere(options: ScanOptions): Promise<number> {
  const run = options.run ?? newRunName();
  const location = options.location!;
  const leaseMs = options.lease ?? defaultLeaseMs;
  await using connection = await connect(options, { leaseMs, requestTimeoutMs: requestTimeoutFor(leaseMs) });
  using s3 = await s3Client(options);
  const progress = new ScanProgress(run);
  using view = progressView(progress, { json: options.json, seats: options.seats ?? defaultSeats });
  using interruption = listenForInterruption({
    onFirst: (signalName) => view.say(`${signalName}: giving the slices back; once more ends at once`),
  });
  const scanned = scanRun({
    options,
    run,
    location,
    connection,
    s3: s3.client,
    interruption,
    progress,
    view,
  });
  const { signal } = interruption;
  let inTime = true;
  try {
    inTime = await endsWithin(scanned, signal, releaseLimitMs);
    if (inTime) return tellReport(await scanned, options);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    view.end();
  }
  const held = inTime ? await stillHeld(connection.locks, run) : undefined;
  const end = interruption.ended(`${describeFate(held)}; go on with the same command and --run ${run}`, {
    run,
    held,
  });
  if (inTime) throw end;
  // What hangs would keep the process alive.
  process.exit(reportError(end, options));
}

function describeFate(held: number | undefined): string {
  if (held === 0) return 'the slices are given back';
  const which =
    held === undefined ? 'the store does not answer, slices that' : `${plural(held, 'slice')} that`;
  return `${which} may still be held come free by themselves`;
}

interface RunContext {
  readonly options: ScanOptions;
  readonly run: string;
  readonly location: S3Location;
  readonly connection: Connection;
  readonly s3: S3Client;
  readonly interruption: Interruption;
  readonly progress: ScanProgress;
  readonly view: ProgressView;
}

async function scanRun(context: RunContext): Promise<FinishedScan> {
  const { options, run, location, connection, s3, interruption, progress, view } = context;
  const { locks } = connection;
  const { signal } = interruption;
  const startedMs = performance.now();
  view.planning(locationText(location));
  await checkUsableTable(connection, options.table, signal);
  const cuts =
    options.cutsFrom === undefined ? undefined : await readCuts({ locks, run: options.cutsFrom, signal });
  const seats = options.seats ?? defaultSeats;
  const plan = await planScan({
    locks,
    s3,
    run,
    ...location,
    seats,
    signal,
    ...(options.slices !== undefined && { slices: options.slices }),
    ...(options.pageSize !== undefined && { pageSize: options.pageSize }),
    ...(options.output && { output: options.output }),
    ...(cuts && { cuts }),
    ...(options.requesterPays && { requesterPays: true }),
  });
  if (plan.existed) progress.foundBefore((await readRun({ locks, run, signal })).slices);
  view.planned(plan);
  const verdict: ScanVerdict = await runRounds({ locks, s3, run, seats, processor: inventory(), signal });
  view.end();
  return { verdict, location, durationMs: performance.now() - startedMs, here: progress.workHere(seats) };
}

/** What may use a table need not be allowed to describe it; the first use will tell then. */
async function checkUsableTable({ dynamo }: Connection, table: string, signal: AbortSignal): Promise<void> {
  try {
    await checkTable(dynamo, table, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const { name, cause } = error as Error;
    const forbidden = name === 'StoreError' && (cause as Error | undefined)?.name === 'AccessDeniedException';
    if (!forbidden) throw error;
  }
}

async function s3Client(options: ScanOptions): Promise<Disposable & { readonly client: S3Client }> {
  const client = new S3Client({
    ...(await awsClientConfig(undefined, s3TimeoutMs)),
    ...s3Address({ region: options.region, endpoint: options.s3Endpoint }),
  });
  if (options.requesterPays) payForRequests(client);
  return { client, [Symbol.dispose]: () => client.destroy() };
}

/**
 * Waits for work that was told to end: without a limit as long as nobody wants it to, and then for a while.
 *
 * @returns whether it ended; `false`: it was told to and did not in time
 * @throws what the work throws
 */
async function endsWithin(work: Promise<unknown>, told: AbortSignal, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let startTimer = (): void => {};
  const outOfTime = new Promise<false>((resolve) => {
    startTimer = () => {
      timer = setTimeout(() => resolve(false), limitMs);
    };
  });
  if (told.aborted) startTimer();
  else told.addEventListener('abort', startTimer, { once: true });
  try {
    return await Promise.race([work.then(() => true), outOfTime]);
  } finally {
    told.removeEventListener('abort', startTimer);
    clearTimeout(timer);
  }
}

/** The store may be the very reason for which the user gave up. */
const lookLimitMs = 3_000;

/**
 * Looks which slices of a run are held, after this process has given back its own: what the store did not confirm is
 * not claimed.
 *
 * @returns how many, or `undefined` if the store did not say, or the run was not planned yet
 */
async function stillHeld(locks: LockClient, run: string): Promise<number | undefined> {
  try {
    const { slices } = await readRun({ locks, run, signal: AbortSignal.timeout(lookLimitMs) });
    return slices.filter(({ leaseId }) => leaseId !== undefined).length;
  } catch {
    return undefined;
  }
}

/** What the seats of a run work with. */
export interface Rounds {
  readonly locks: LockClient;
  readonly s3: S3Client;
  readonly run: string;
  readonly seats: number;
  readonly processor: Processor;
  readonly signal: AbortSignal;
}

const maxTries = 6;

/** In milliseconds. */
const spacing = { firstPauseMs: 500, maxPauseMs: 15_000 };

/**
 * Works and verifies until the verdict is final: what the state machine does in AWS, with its retries and pauses.
 *
 * @throws CommandFailure when another process has taken over all the seats; UsageError; StoreError; the signal's
 *   reason, after every seat has given its slice back
 */
export async function runRounds(rounds: Rounds): Promise<ScanVerdict> {
  const { locks, s3, run, processor, signal } = rounds;
  const backOff = new BackOff(locks.context.runtime, spacing);
  for (;;) {
    const answers = await workAll(rounds);
    const verdict = await verifyScan({ locks, s3, run, processor, signal });
    if (verdict.status !== 'more') return verdict;
    if (answers.every(({ status }) => status === 'superseded')) throw superseded(run);
    await sleep(locks.context.runtime, backOff.nextMs(), signal);
  }
}

/** All seats at once. The first error stops the others, which give back what they hold before it is thrown. */
async function workAll(rounds: Rounds): Promise<SeatAnswer[]> {
  const { signal, abort, clear } = childSignal(rounds.signal);
  const seats = Array.from({ length: rounds.seats }, async (_, seat) => {
    try {
      return await workOne({ ...rounds, signal }, seat);
    } catch (error) {
      abort(error);
      throw error;
    }
  });
  await Promise.allSettled(seats);
  clear();
  rounds.signal.throwIfAborted();
  signal.throwIfAborted();
  return Promise.all(seats);
}

async function workOne(rounds: Rounds, seat: number): Promise<SeatAnswer> {
  const { locks, s3, run, processor, signal } = rounds;
  const mayPass = (error: unknown) => {
    signal.throwIfAborted();
    return isRetryable(error);
  };
  for (;;) {
    const answer = await retry(locks.context.runtime, { ...spacing, mayPass, maxTries, signal }, () =>
      workSeat({ locks, s3, run, seat, processor, signal }),
    );
    if (answer.status !== 'more') return answer;
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof Error && error.name === 'StoreError' && (error as StoreError).retryable;
}

function superseded(run: string): CommandFailure {
  return new CommandFailure(
    'SUPERSEDED',
    `Another process works on the run "${run}" and has taken over all its seats; this one did no harm and ends`,
    { run },
  );
}
