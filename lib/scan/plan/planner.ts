import { UsageError } from '../../errors/index.js';
import { ensureStoreTime, type LeaseContext, leaseFormat, ttlAfter } from '../../lease/index.js';
import { checkCall } from '../check-call.js';
import { S3Sender } from '../listing/s3-requests.js';
import { inParallel } from '../seats/in-parallel.js';
import { publishScan } from '../seats/scan-events.js';
import {
  attributesOfRun,
  findRun,
  plannedSlices,
  runGroup,
  runName,
  type ScanRun,
} from '../slices/scan-run.js';
import { createSlice } from '../slices/slice-creation.js';
import { planCuts } from './plan-cuts.js';
import { checkPlanOptions, type PlanOptions } from './plan-options.js';
import { PlanRequests } from './plan-requests.js';

/** A planned run. A JSON value. */
export interface ScanPlan {
  readonly run: string;
  /** The items of the Map. */
  readonly seats: readonly { readonly run: string; readonly seat: number }[];
  readonly slices: number;
  /** List requests that this call sent; 0 if the run was there already. */
  readonly listRequests: number;
  readonly existed: boolean;
}

/** Requests for planning, for each slice wanted (scan page, "Planning"). */
const requestsPerSlice = 3;

/** Slices are created so many at a time. */
const parallelWrites = 8;

const takes = {
  ...{ locks: true, s3: true, run: true, bucket: true, prefix: false, seats: true, slices: false },
  ...{ pageSize: false, cuts: false, output: false, requesterPays: false, signal: false },
} satisfies Record<keyof PlanOptions, boolean>;

/**
 * Plans a run: finds cuts, writes the run item and the slices. All is create-if-absent, and the run item is the
 * commit point: planning again, or twice at once, leads to the same slices.
 *
 * @throws UsageError for options that can't be right, a bucket that is missing or can't be scanned in slices, or a
 *   run that was planned for another prefix; StoreError; the signal's reason
 */
export async function planScan(options: PlanOptions): Promise<ScanPlan> {
  checkCall('planScan', options, takes);
  checkPlanOptions(options);
  try {
    return await planWith(options);
  } catch (error) {
    // The table knows no more than that a request came to nothing.
    throw options.signal?.aborted ? options.signal.reason : error;
  }
}

async function planWith(options: PlanOptions): Promise<ScanPlan> {
  const { locks, run, seats, signal } = options;
  const { context } = locks;
  await ensureStoreTime(context, signal);
  const requests = new S3Sender(options.s3, context.runtime);
  const found = await findRun(context, run, signal);
  const scan = found ?? (await committed(context, await planned(context, requests, options), signal));
  checkSame(scan, options);
  const slices = plannedSlices(scan);
  await inParallel(slices, parallelWrites, (slice) => createSlice(context, run, slice, 0, signal));
  const plan = {
    run,
    seats: Array.from({ length: seats }, (_, seat) => ({ run, seat })),
    slices: slices.length,
    listRequests: requests.count,
    existed: found !== undefined,
  };
  publishScan('scan-planned', {
    run,
    slices: plan.slices,
    listRequests: plan.listRequests,
    existed: plan.existed,
  });
  return plan;
}

async function planned(context: LeaseContext, s3: S3Sender, options: PlanOptions): Promise<ScanRun> {
  const { run, bucket, prefix = '', pageSize = 1000, seats, cuts = [], output, signal } = options;
  const requesterPays = options.requesterPays === true;
  const wanted = options.slices ?? seats;
  const target = { bucket, prefix, requesterPays };
  const requests = new PlanRequests(s3, target, { pageSize, limit: requestsPerSlice * wanted, signal });
  const plan = await planCuts(requests, wanted, cuts);
  return {
    run,
    bucket,
    prefix,
    pageSize,
    ...plan,
    ...(output && { output }),
    ...(requesterPays && { requesterPays }),
    planRequests: s3.count,
    startedAtMs: Math.floor(context.clock.now().latest),
    rounds: 0,
  };
}

/** Creates the run item; of two planners at once the first one's plan counts for both. */
async function committed(context: LeaseContext, scan: ScanRun, signal?: AbortSignal): Promise<ScanRun> {
  const now = Math.floor(context.clock.now().latest);
  const item = {
    name: runName(scan.run),
    format: leaseFormat,
    version: now,
    group: runGroup,
    ttl: ttlAfter(context, now),
    ...attributesOfRun(scan),
  };
  if (await context.table.create(item, signal)) return scan;
  return (await findRun(context, scan.run, signal)) ?? scan;
}

function checkSame(scan: ScanRun, options: PlanOptions): void {
  const { bucket, prefix = '' } = options;
  if (scan.bucket === bucket && scan.prefix === prefix) return;
  throw new UsageError(
    `The scan "${scan.run}" was planned for s3://${scan.bucket}/${scan.prefix}, not for s3://${bucket}/${prefix}`,
    runName(scan.run),
  );
}
