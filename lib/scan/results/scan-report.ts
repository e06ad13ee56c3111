import type { S3Sender } from '../listing/s3-requests.js';
import type { RunState } from '../slices/read-run.js';
import { findState, parseSliceId, type SliceItem } from '../slices/slice.js';
import { loadPartial } from './partial-store.js';
import type { Processor } from './processor.js';
import { emptyTally, type ObjectFailure, type Tally } from './tally.js';

/** Named in a report; a state machine hands it on, and takes 256 KB. */
const maxFailures = 50;
const maxQuarantined = 50;

/** A slice that no worker could finish. */
export interface QuarantinedSlice {
  readonly slice: string;
  readonly lo?: string;
  readonly hi?: string;
  readonly attempts: number;
  /** What the processor threw last, if it threw. */
  readonly error?: string;
}

/** What a run came to. A JSON value. */
export interface ScanReport {
  readonly slices: number;
  readonly unfinished: number;
  readonly objects: number;
  readonly bytes: number;
  readonly pages: number;
  readonly takeovers: number;
  /** Planning included. */
  readonly listRequests: number;
  readonly failureCount: number;
  /** The first 50. */
  readonly failures: readonly ObjectFailure[];
  /** The first 50. */
  readonly quarantined: readonly QuarantinedSlice[];
  /** Whether the slices cover the key space from open to open, each part once. */
  readonly tiles: boolean;
  /** The processor's results, merged; absent while slices are unfinished. */
  readonly result?: unknown;
}

/**
 * Adds up a run's slices.
 *
 * @param takeoverBefore as for `findState`
 */
export function toReport(state: RunState, takeoverBefore: number): ScanReport {
  const slices = state.slices.map((slice) => ({
    slice,
    state: findState(slice, takeoverBefore),
    tally: readTally(slice),
  }));
  const sum = (of: (tally: Tally) => number) => slices.reduce((total, { tally }) => total + of(tally), 0);
  const quarantined = slices.filter((entry) => entry.state === 'quarantined');
  const completed = slices.filter((entry) => entry.state === 'completed');
  return {
    slices: slices.length,
    unfinished: slices.length - quarantined.length - completed.length,
    objects: sum((tally) => tally.objects),
    bytes: sum((tally) => tally.bytes),
    pages: sum((tally) => tally.pages),
    takeovers: sum((tally) => tally.takeovers),
    listRequests: sum((tally) => tally.listRequests) + state.run.planRequests,
    failureCount: sum((tally) => tally.failureCount),
    failures: slices.flatMap(({ tally }) => tally.failures).slice(0, maxFailures),
    quarantined: quarantined.slice(0, maxQuarantined).map(({ slice }) => toQuarantinedSlice(slice)),
    tiles: state.gaps.length === 0,
  };
}

/**
 * The results of all slices as one: completed ones' in full, of others what is done.
 *
 * @throws StoreError, UsageError when a result in the output bucket can't be read
 */
export async function mergedResult(
  requests: S3Sender,
  processor: Processor,
  state: RunState,
  signal?: AbortSignal,
): Promise<unknown> {
  let merged = processor.empty();
  // One at a time: a large result is in memory only once.
  for (const slice of state.slices) {
    const stored = slice.result?.partial ?? slice.partial;
    if (stored === undefined) continue;
    merged = processor.merge(merged, await loadPartial(requests, stored, signal));
  }
  return processor.compact ? processor.compact(merged) : merged;
}

function readTally(slice: SliceItem): Tally {
  return slice.result?.tally ?? slice.tally ?? emptyTally;
}

function toQuarantinedSlice(slice: SliceItem): QuarantinedSlice {
  const { lo, hi, attempts = 0, lastError } = slice;
  return {
    slice: parseSliceId(slice.name),
    ...(lo !== undefined && { lo }),
    ...(hi !== undefined && { hi }),
    attempts,
    ...(lastError !== undefined && { error: lastError }),
  };
}
