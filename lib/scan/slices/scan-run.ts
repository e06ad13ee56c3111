import { UsageError } from '../../errors/index.js';
import type { LeaseContext } from '../../lease/index.js';
import type { StoredItem } from '../../table/index.js';
import type { OutputPlace } from '../results/slice-output.js';
import { type PlannedSlice, slicesOfCuts } from './slice-creation.js';

/** The group of the run items, apart from any slices'. */
export const runGroup = 'scan';

/**
 * The run item: the plan's commit point. Whoever creates it first has decided on the cuts; the slices are derived
 * from it, so two planners at once can't mix two plans.
 */
export interface ScanRun {
  readonly run: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly pageSize: number;
  /** In key order. */
  readonly cuts: readonly string[];
  /** Nothing was seen above it when the run was planned. */
  readonly emptyAfter?: string;
  /** Folders that there were, in key order, none inside another: hints for splits, never bounds. */
  readonly folders?: readonly string[];
  readonly output?: OutputPlace;
  /** The bucket is a requester-pays bucket. */
  readonly requesterPays?: boolean;
  /** Requests that the planning cost. */
  readonly planRequests: number;
  /** Store time in milliseconds. */
  readonly startedAtMs: number;
  /** Rounds that verify has asked for. */
  readonly rounds: number;
}

/** The name of a run's item. */
export function runName(run: string): string {
  return `scan/${run}`;
}

/** The slices as they were planned; splits lower their `hi` and add children. */
export function plannedSlices(run: ScanRun): PlannedSlice[] {
  return slicesOfCuts(run.cuts, run.emptyAfter);
}

/** @throws UsageError unless it can be part of lease names, S3 keys and execution names */
export function checkRunName(run: string): void {
  if (typeof run === 'string' && /^[A-Za-z0-9._-]{1,100}$/.test(run)) return;
  throw new UsageError(
    `run: must be 1 to 100 of the characters A-Z a-z 0-9 . _ -, got ${JSON.stringify(run)}`,
  );
}

/** What is stored, without the attributes that all lease items have. */
export function attributesOfRun(run: ScanRun): Record<string, unknown> {
  const { run: _name, prefix, emptyAfter, output, ...rest } = run;
  return {
    ...rest,
    // Not every engine takes empty strings.
    ...(prefix !== '' && { prefix }),
    ...(emptyAfter !== undefined && { emptyAfter }),
    ...(output && {
      output: { bucket: output.bucket, ...(output.prefix !== '' && { prefix: output.prefix }) },
    }),
  };
}

/**
 * One consistent read of a run's item.
 *
 * @returns `undefined` if it was never planned
 * @throws StoreError; UsageError if the item is something else
 */
export async function findRun(
  context: LeaseContext,
  run: string,
  signal?: AbortSignal,
): Promise<ScanRun | undefined> {
  const stored = await context.table.get(runName(run), signal);
  return stored && parseScanRun(run, stored);
}

/** As {@link findRun}. @throws UsageError if it was never planned */
export async function checkRun(context: LeaseContext, run: string, signal?: AbortSignal): Promise<ScanRun> {
  checkRunName(run);
  const found = await findRun(context, run, signal);
  if (!found) throw new UsageError(`The scan "${run}" was never planned, or TTL removed it`, runName(run));
  return found;
}

function parseScanRun(run: string, stored: StoredItem): ScanRun {
  const {
    bucket,
    prefix = '',
    pageSize,
    cuts,
    emptyAfter,
    folders,
    output,
    requesterPays,
    planRequests,
    startedAtMs,
    rounds,
  } = stored;
  const place = output as { bucket: string; prefix?: string } | undefined;
  if (typeof bucket !== 'string' || !Array.isArray(cuts) || typeof pageSize !== 'number') {
    throw new UsageError(`The item "${runName(run)}" is not a scan's`, runName(run));
  }
  return {
    run,
    bucket,
    prefix: prefix as string,
    pageSize,
    cuts: cuts as string[],
    planRequests: planRequests as number,
    startedAtMs: startedAtMs as number,
    rounds: (rounds as number | undefined) ?? 0,
    ...(emptyAfter !== undefined && { emptyAfter: emptyAfter as string }),
    ...(Array.isArray(folders) && { folders: folders as string[] }),
    ...(requesterPays === true && { requesterPays }),
    ...(place && { output: { bucket: place.bucket, prefix: place.prefix ?? '' } }),
  };
}
