import type { S3Client } from '@aws-sdk/client-s3';
import { type LeaseContext, takeoverBefore, ttlAfter } from '../../lease/index.js';
import { checkCall } from '../check-call.js';
import { checkWholeNumber } from '../check-number.js';
import { S3Sender } from '../listing/s3-requests.js';
import { type RunOptions, type RunState, readSlices } from '../slices/read-run.js';
import { runName, type ScanRun } from '../slices/scan-run.js';
import { findState } from '../slices/slice.js';
import { hasPendingChild, materialiseChild } from '../slices/slice-creation.js';
import type { Gap } from '../slices/tiling.js';
import type { Processor } from './processor.js';
import { mergedResult, type ScanReport, toReport } from './scan-report.js';

/** Which run, and how its results are merged. */
export interface VerifyOptions extends RunOptions {
  /** Reads results that were too large for an item. */
  readonly s3: Pick<S3Client, 'send'>;
  // biome-ignore lint/suspicious/noExplicitAny: its partial result is the processor's own business
  readonly processor: Processor<any>;
  /** Rounds of work asked for before the run fails. @default 20 */
  readonly maxRounds?: number;
}

const takes = {
  ...{ locks: true, run: true, signal: false, s3: true, processor: true, maxRounds: false },
} satisfies Record<keyof VerifyOptions, boolean>;

/** How a run stands. A JSON value. */
export interface ScanVerdict {
  readonly run: string;
  /** `more`: slices are unfinished, another round of work is needed. Anything but `complete` is no success. */
  readonly status: 'complete' | 'completed-with-failures' | 'more' | 'failed';
  /** Rounds of work so far. */
  readonly round: number;
  /** In words, unless complete. */
  readonly reason?: string;
  /** While `more`, without the processor's result. */
  readonly report: ScanReport;
}

/**
 * Proves a run complete: every slice is read consistently, all are completed, and they tile from open to open. A
 * slice that was quarantined fails the run, naming its range; one that is unfinished asks for another round.
 *
 * @throws UsageError if the run was never planned, or an option can't be right; StoreError; the signal's reason
 */
export async function verifyScan(options: VerifyOptions): Promise<ScanVerdict> {
  checkCall('verifyScan', options, takes);
  try {
    return await verdictOf(options);
  } catch (error) {
    // The table knows no more than that a request came to nothing.
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function verdictOf(options: VerifyOptions): Promise<ScanVerdict> {
  const { locks, run, processor, signal, maxRounds = 20 } = options;
  checkWholeNumber('maxRounds', maxRounds, 1);
  const { context } = locks;
  const state = await readSlices(options);
  const before = takeoverBefore(context);
  const report = toReport(state, before);
  const round = state.run.rounds + 1;
  await Promise.all(
    state.slices.filter(hasPendingChild).map((slice) => materialiseChild(context, run, slice, signal)),
  );
  if (report.unfinished > 0) {
    const reason = `${report.unfinished} of ${report.slices} slices are unfinished after round ${round}`;
    if (round >= maxRounds) return { run, status: 'failed', round, reason, report };
    await countRound(context, state.run, signal);
    return { run, status: 'more', round, reason, report };
  }
  const requests = new S3Sender(options.s3, context.runtime);
  const result = await mergedResult(requests, processor, state, signal);
  const whole = { ...report, result };
  const problem = findProblem(state, report);
  if (problem !== undefined) return { run, status: 'failed', round, reason: problem, report: whole };
  if (report.failureCount > 0) {
    const reason = `${report.failureCount} objects could not be worked on`;
    return { run, status: 'completed-with-failures', round, reason, report: whole };
  }
  return { run, status: 'complete', round, report: whole };
}

function findProblem(state: RunState, report: ScanReport): string | undefined {
  const problems = [
    ...report.quarantined.map(
      ({ slice, lo, hi, attempts, error }) =>
        `slice ${slice} ${range(lo, hi)} is quarantined after ${attempts} attempts${error ? `: ${error}` : ''}`,
    ),
    ...state.gaps.map((gap) => `the slices do not tile: ${inWords(gap)}`),
  ];
  return problems.length === 0 ? undefined : problems.slice(0, 10).join('; ');
}

function inWords({ lo, hi, reason }: Gap): string {
  if (reason === 'missing') return `no slice covers ${range(lo, hi)}`;
  return reason === 'overlap'
    ? `two slices cover ${range(lo, hi)}`
    : `${range(lo, hi)} belongs to no planned slice`;
}

function range(lo: string | undefined, hi: string | undefined): string {
  return `(${lo === undefined ? 'open' : JSON.stringify(lo)}, ${hi === undefined ? 'open' : JSON.stringify(hi)}]`;
}

/** A retry of this very verify counts its round a second time at most; a run that lives stays out of TTL's way. */
async function countRound(
  context: LeaseContext,
  scan: ScanRun,
  signal: AbortSignal | undefined,
): Promise<void> {
  const rounds = scan.rounds + 1;
  const change = {
    set: { rounds, ttl: ttlAfter(context, context.clock.now().latest) },
    condition: { text: '#rounds < :scanRounds', values: { ':scanRounds': rounds } },
  };
  await context.table.update(runName(scan.run), change, signal);
}

/** For a live view: how many slices are in which state. */
export function countStates(context: LeaseContext, state: RunState): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const before = takeoverBefore(context);
  for (const slice of state.slices) {
    const name = findState(slice, before);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
