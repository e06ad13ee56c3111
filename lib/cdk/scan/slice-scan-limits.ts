import { Token } from 'aws-cdk-lib';
import type { SliceScanProps } from './slice-scan-props.js';

/** Each seat is an item of the map's input; so many of them and the verdict fit into Step Functions' 256 KB. */
const mostSeats = 1_000;
const mostSlices = 10_000;
const mostRounds = 20;
/** S3's limit on a key, in bytes of UTF-8. */
const mostKeyBytes = 1_024;
/** The end of a seat's invocation is kept free for giving the slice back; a function must have time besides. */
const leastWorkSeconds = 30;
/** Lambda's own limit. */
const mostWorkSeconds = 900;
const leastLeaseMs = 1_000;
const leastMemoryMb = 128;
const mostMemoryMb = 10_240;

/** @throws Error that names the property, what it may be, and what came; values known only at deployment pass */
export function checkSliceScan(props: SliceScanProps): void {
  const { seats, slices, maxConcurrency, maxRounds, workMemoryMb } = props;
  demandWhole('seats', seats, 1, mostSeats);
  demandWhole('slices', slices, 1, mostSlices);
  demandWhole('maxConcurrency', maxConcurrency, 1, mostSeats);
  demandWhole('maxRounds', maxRounds, 1, mostRounds);
  demandWhole('workMemoryMb', workMemoryMb, leastMemoryMb, mostMemoryMb);
  demandWhole('workTimeout, in seconds', props.workTimeout?.toSeconds(), leastWorkSeconds, mostWorkSeconds);
  const workMs = props.workTimeout?.toMilliseconds() ?? mostWorkSeconds * 1_000;
  demandWhole('lease, in milliseconds', props.lease?.toMilliseconds(), leastLeaseMs, workMs / 2);
  demandGeneralPurpose('bucket', props.bucket.bucketName);
  demandPrefix('prefix', props.prefix);
  demandPrefix('output.prefix', props.output?.prefix);
  if (props.output) demandGeneralPurpose('output.bucket', props.output.bucket.bucketName);
  demandApart(props);
}

function demandWhole(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || Token.isUnresolved(value)) return;
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new Error(`${name}: must be a whole number from ${least} to ${most}, got ${value}`);
}

/** Directory buckets list in no order, so that they can't be cut in slices. Their names end so. */
function demandGeneralPurpose(name: string, bucketName: string): void {
  if (Token.isUnresolved(bucketName) || !bucketName.endsWith('--x-s3')) return;
  throw new Error(`${name}: must be a general purpose bucket, got the directory bucket "${bucketName}"`);
}

function demandPrefix(name: string, prefix: string | undefined): void {
  if (prefix === undefined || Token.isUnresolved(prefix)) return;
  if (Buffer.byteLength(prefix) <= mostKeyBytes && !/\p{Surrogate}/u.test(prefix)) return;
  const shown = JSON.stringify(prefix.slice(0, 60));
  throw new Error(
    `${name}: must be well-formed Unicode of at most ${mostKeyBytes} bytes, got ${shown} of ${Buffer.byteLength(prefix)}`,
  );
}

/** The scan would find its own results. What is known only at deployment is checked by the plan. */
function demandApart({ bucket, prefix = '', output }: SliceScanProps): void {
  if (!output || !isSame(bucket, output.bucket) || Token.isUnresolved([prefix, output.prefix])) return;
  if (output.prefix.startsWith(prefix)) {
    throw new Error(
      `output.prefix: "${output.prefix}" lies inside the scanned prefix "${prefix}" of the same bucket; name one outside, or another bucket`,
    );
  }
  if (prefix.startsWith(output.prefix)) {
    throw new Error(
      `output.prefix: the scanned prefix "${prefix}" lies inside "${output.prefix}" of the same bucket; name one apart, or another bucket`,
    );
  }
}

function isSame(a: SliceScanProps['bucket'], b: SliceScanProps['bucket']): boolean {
  if (a === b) return true;
  return !Token.isUnresolved([a.bucketName, b.bucketName]) && a.bucketName === b.bucketName;
}
