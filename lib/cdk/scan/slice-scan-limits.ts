import { Token } from 'aws-cdk-lib';
import { isWellFormed } from '../../lease/check-options.js';
import { checkFunctionSettings } from '../functions/function-settings.js';
import { checkKnown, checkWhole, wholeMilliseconds, wholeSeconds } from '../functions/known.js';
import { checkServiceName } from '../observability/lease-metrics.js';
import type { ScanInput } from './scan-schedule.js';
import type { SliceScanProps } from './slice-scan-props.js';

/** Each seat is an item of the map's input; so many of them and the verdict fit into Step Functions' 256 KB. */
const maxSeats = 1_000;
const maxSlices = 10_000;
const roundLimit = 20;
/** S3's limit on a key, in bytes of UTF-8. */
const maxKeyBytes = 1_024;
/** The end of a seat's invocation is kept free for giving the slice back; a function must have time besides. */
const minWorkSeconds = 30;
/** Lambda's own limit. */
const maxWorkSeconds = 900;
const minLeaseMs = 1_000;
const minMemoryMb = 128;
const maxMemoryMb = 10_240;

/** @throws Error that names the property, what it may be, and what came; values known only at deployment pass */
export function checkSliceScan(props: SliceScanProps): void {
  checkKnown(props, [
    'readObjects',
    'requesterPays',
    'logs',
    'metrics',
    'tracing',
    'logLevel',
    'removalPolicy',
  ]);
  checkKnown(props.schedule, ['enabled'], 'schedule.');
  checkFunctionSettings(props);
  checkServiceName(props.serviceName);
  const { seats, slices, maxConcurrency, maxRounds, workMemoryMb } = props;
  checkWhole('seats', seats, 1, maxSeats);
  checkWhole('slices', slices, 1, maxSlices);
  checkWhole('maxConcurrency', maxConcurrency, 1, maxSeats);
  checkWhole('maxRounds', maxRounds, 1, roundLimit);
  checkWhole('workMemoryMb', workMemoryMb, minMemoryMb, maxMemoryMb);
  checkWhole('reservedConcurrency', props.reservedConcurrency, maxConcurrency ?? 1, Number.MAX_SAFE_INTEGER);
  const { workTimeout, lease } = props;
  if (workTimeout)
    checkWhole(
      'workTimeout, in seconds',
      wholeSeconds('workTimeout', workTimeout),
      minWorkSeconds,
      maxWorkSeconds,
    );
  const workMs = workTimeout?.isUnresolved() ? undefined : workTimeout?.toMilliseconds();
  if (lease)
    checkWhole(
      'lease, in milliseconds',
      wholeMilliseconds('lease', lease),
      minLeaseMs,
      (workMs ?? maxWorkSeconds * 1_000) / 2,
    );
  for (const name of ['roundPause', 'timeout'] as const) if (props[name]) wholeSeconds(name, props[name]);
  checkScheduleInput(props.schedule?.input);
  checkGeneralPurpose('bucket', props.bucket.bucketName);
  checkPrefix('prefix', props.prefix);
  checkPrefix('output.prefix', props.output?.prefix);
  if (props.output) checkGeneralPurpose('output.bucket', props.output.bucket.bucketName);
  checkApart(props);
}

/** Directory buckets list in no order, so that they can't be cut in slices. Their names end so. */
function checkGeneralPurpose(name: string, bucketName: string): void {
  if (Token.isUnresolved(bucketName) || !bucketName.endsWith('--x-s3')) return;
  throw new Error(`${name}: must be a general purpose bucket, got the directory bucket "${bucketName}"`);
}

function checkPrefix(name: string, prefix: string | undefined): void {
  if (prefix === undefined || Token.isUnresolved(prefix)) return;
  if (Buffer.byteLength(prefix) <= maxKeyBytes && isWellFormed(prefix)) return;
  const shown = JSON.stringify(prefix.slice(0, 60));
  throw new Error(
    `${name}: must be well-formed Unicode of at most ${maxKeyBytes} bytes, got ${shown} of ${Buffer.byteLength(prefix)}`,
  );
}

/** The scan would find its own results. What is known only at deployment is checked by the plan. */
function checkApart({ bucket, prefix = '', output }: SliceScanProps): void {
  if (!output || !isSame(bucket, output.bucket) || isToken(prefix) || isToken(output.prefix)) return;
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
  return a.bucketName === b.bucketName;
}

function isToken(text: string): boolean {
  return Token.isUnresolved(text);
}

/** Step Functions' limit on an execution's input. */
const maxInputBytes = 262_144;

function checkScheduleInput(input: ScanInput | undefined): void {
  if (input === undefined) return;
  checkKnown(input, ['cuts'], 'schedule.input.');
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes <= maxInputBytes) return;
  throw new Error(
    `schedule.input: must take at most ${maxInputBytes} bytes as JSON, got ${bytes}; give fewer cuts`,
  );
}
