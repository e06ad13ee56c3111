import type { S3Client } from '@aws-sdk/client-s3';
import type { LockClient } from '../../client/index.js';
import { UsageError } from '../../errors/index.js';
import { isWellFormed } from '../../lease/check-options.js';
import { checkWholeNumber } from '../check-number.js';
import { maxKeyBytes } from '../keys/key-order.js';
import { type OutputPlace, runOutputPrefix } from '../results/slice-output.js';
import { checkRunName } from '../slices/scan-run.js';

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

/** More slices than this are no plan: a slice costs some requests of its own. */
export const maxSlices = 10_000;

/** @throws UsageError if an option can't be right; the message names it, its limit and its value */
export function checkPlanOptions(options: PlanOptions): void {
  const { run, bucket, prefix = '', seats, slices = seats, pageSize = 1000, cuts = [] } = options;
  checkRunName(run);
  checkWholeNumber('seats', seats, 1, maxSlices);
  checkWholeNumber('slices', slices, 1, maxSlices);
  checkWholeNumber('pageSize', pageSize, 1, 1000);
  if (typeof bucket !== 'string' || bucket === '') throw new UsageError('bucket: the name is missing');
  if (bucket.endsWith('--x-s3')) {
    throw new UsageError(
      `bucket: "${bucket}" is a directory bucket; its listing has no order to cut in slices`,
    );
  }
  const { requesterPays } = options;
  if (requesterPays !== undefined && typeof requesterPays !== 'boolean') {
    throw new UsageError(`requesterPays: must be true or false, got ${String(requesterPays)}`);
  }
  checkKey('prefix', prefix);
  if (cuts.length >= maxSlices) throw new UsageError(`cuts: at most ${maxSlices - 1}, got ${cuts.length}`);
  for (const cut of cuts) checkKey('cuts', cut);
  checkOutputOutside(options, prefix);
}

/** A scan that lists what it writes never ends well. */
function checkOutputOutside({ bucket, run, output }: PlanOptions, prefix: string): void {
  if (!output || output.bucket !== bucket) return;
  const written = runOutputPrefix(output, run);
  if (!written.startsWith(prefix) && !prefix.startsWith(written)) return;
  throw new UsageError(
    `output: s3://${output.bucket}/${written} lies inside the scanned s3://${bucket}/${prefix}; name another prefix or bucket`,
  );
}

function checkKey(option: string, key: unknown): void {
  if (typeof key === 'string' && isWellFormed(key) && Buffer.byteLength(key) <= maxKeyBytes) return;
  throw new UsageError(
    `${option}: must be well-formed Unicode of at most ${maxKeyBytes} bytes, got ${JSON.stringify(key)}`,
  );
}
