import type { S3Client } from '@aws-sdk/client-s3';
import type { LockClient } from '../../client/index.js';
import { UsageError } from '../../errors/index.js';
import { ensureStoreTime, type LeaseContext, leaseFormat, ttlAfter } from '../../lease/index.js';
import { S3Requests } from '../listing/s3-requests.js';
import type { OutputPlace } from '../results/slice-output.js';
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
import { checkPlanOptions } from './plan-options.js';
import { PlanRequests } from './plan-requests.js';

/** What is to be scanned, and by how many. */
export interface PlanOptions {
  readonly locks: LockClient;
  readonly s3: Pick<S3Client, 'send'>;
  /** Names the run: 1 to 100 of `A-Z a-z 0-9 . _ -`. Planning the same run again changes nothing. */
  readonly run: string;
  readonly bucket: string;
  /** @default '': the whole bucket */
  readonly prefix?: string;
  /** Workers at the same time. */
  readonly seats: number;
  /** Slices wanted: seats split them further where one has more left than others. @default one a seat */
  readonly slices?: number;
  /** Keys a page, 1 to 1,000. @default 1,000 */
  readonly pageSize?: number;
  /** Cuts by hand, or of an earlier run: see `readCuts`. */
  readonly cuts?: readonly string[];
  /** Where large results and the processor's output go; not inside the scanned prefix. */
  readonly output?: OutputPlace;
  /**
   * The bucket is a requester-pays bucket, and whoever scans pays: said with every listing of the run.
   *
   * @default false
   * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/RequesterPaysBuckets.html
   */
  readonly requesterPays?: boolean;
  readonly signal?: AbortSignal;
}

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

/**
 * Plans a run: finds cuts, writes the run item and the slices. All is create-if-absent, and the run item is the
 * commit point: planning again, or twice at once, leads to the same slices.
 *
 * @throws UsageError for options that can't be right, a bucket that is missing or can't be scanned in slices, or a
 *   run that was planned for another prefix; StoreError; the signal's reason
 */
export async function planScan(options: PlanOptions): Promise<ScanPlan> {
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
  const requests = new S3Requests(options.s3, context.runtime);
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

async function planned(context: LeaseContext, s3: S3Requests, options: PlanOptions): Promise<ScanRun> {
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
