import type { LockClient } from '../../client/index.js';
import { ensureStoreTime, type LeaseContext } from '../../lease/index.js';
import { checkCall } from '../check-call.js';
import { checkRun, plannedSlices, type ScanRun } from './scan-run.js';
import { findSlice, isSliceName, parseSliceId, type SliceItem, sliceGroup, sliceName } from './slice.js';
import { checkTiling, type Gap, type Tiling } from './tiling.js';

/** Which run. */
export interface RunOptions {
  readonly locks: LockClient;
  readonly run: string;
  readonly signal?: AbortSignal;
}

const takes = { locks: true, run: true, signal: false } satisfies Record<keyof RunOptions, boolean>;

/** A run as it stands. */
export interface RunState {
  readonly run: ScanRun;
  /** In key order. */
  readonly slices: readonly SliceItem[];
  /** What the slices do not cover, or cover twice. While slices are being split a gap may only be apparent. */
  readonly gaps: readonly Gap[];
}

/**
 * Reads a run and all its slices, strongly consistently: for live views and proofs.
 *
 * The planned slices' names follow from the run item, and children's from their cuts; the index, which lags, is an
 * addition and not relied on. What else is in the run's group is passed over.
 *
 * @throws UsageError if it was never planned, or for an option that can't be right; StoreError
 */
export async function readRun(options: RunOptions): Promise<RunState> {
  checkCall('readRun', options, takes);
  return readSlices(options);
}

/** As {@link readRun}, for a call that has been checked. */
export async function readSlices({ locks, run, signal }: RunOptions): Promise<RunState> {
  const { context } = locks;
  await ensureStoreTime(context, signal);
  const scan = await checkRun(context, run, signal);
  const names = new Set(plannedSlices(scan).map(({ id }) => sliceName(run, id)));
  for await (const page of context.table.namesInGroup(sliceGroup(run), signal)) {
    for (const name of page) if (isSliceName(run, name)) names.add(name);
  }
  const tiling = await readTiling(context, scan, [...names], signal);
  return { run: scan, slices: tiling.slices, gaps: tiling.gaps };
}

/**
 * The cuts of an earlier run, those made by splits included: for `planScan({ cuts })` of the same prefix.
 *
 * @throws UsageError if it was never planned; StoreError
 */
export async function readCuts(options: RunOptions): Promise<string[]> {
  checkCall('readCuts', options, takes);
  const { slices } = await readSlices(options);
  return slices.map(({ hi }) => hi).filter((hi) => hi !== undefined);
}

async function readTiling(
  context: LeaseContext,
  scan: ScanRun,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Tiling> {
  const found = new Map<string, SliceItem>();
  const asked = new Set<string>();
  for (let wanted = names; ; ) {
    for (const name of wanted) asked.add(name);
    for (const stored of await context.table.getMany(wanted, signal)) {
      // What is no slice leaves a gap, which the proof names.
      const slice = findSlice(stored);
      if (slice) found.set(parseSliceId(slice.name), slice);
    }
    const tiling = checkTiling(plannedSlices(scan), found);
    wanted = tiling.wanted.map((id) => sliceName(scan.run, id)).filter((name) => !asked.has(name));
    if (wanted.length === 0) return tiling;
  }
}
