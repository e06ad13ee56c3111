import type { S3Client } from '@aws-sdk/client-s3';
import type { LockClient } from '../../../lib/client/index.js';
import type { StoreError } from '../../../lib/errors/index.js';
import { BackOff, childSignal, retry, sleep } from '../../../lib/runtime/index.js';
import {
  type Processor,
  type ScanVerdict,
  type SeatAnswer,
  verifyScan,
  workSeat,
} from '../../../lib/scan/index.js';
import { CommandFailure } from '../report-error.js';

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
