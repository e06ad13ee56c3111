import { type Duration, type RemovalPolicy, Token } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  Schedule,
  type ScheduleExpression,
  ScheduleTargetInput,
  type TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { StepFunctionsStartExecution } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IStateMachine, LogLevel } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { isWellFormed } from '../../lease/check-options.js';
import { checkFunctionSettings, type FunctionSettings } from '../functions/function-settings.js';
import { checkKnown, checkWhole, wholeMilliseconds, wholeSeconds } from '../functions/known.js';
import { checkServiceName } from '../observability/lease-metrics.js';
import type { ILeaseTable } from '../table/lease-table-base.js';
import type { ScanProcessor } from './scan-processor.js';

/** Where results go that are too large for an item, and what a processor writes. */
export interface ScanOutput {
  /** A general purpose bucket; it may be the scanned one. */
  readonly bucket: IBucket;
  /** In the same bucket, neither prefix may lie inside the other. */
  readonly prefix: string;
}

/** What a `SliceScan` can be told. */
export interface SliceScanProps extends FunctionSettings {
  /** The bucket to scan: a general purpose bucket, not a directory bucket. */
  readonly bucket: IBucket;
  /** The prefix to scan. The roles may list nothing else, so an execution can only narrow it. @default the whole bucket */
  readonly prefix?: string;
  /** The table of leases. @default a new one */
  readonly leases?: ILeaseTable;
  /** Where large results go. @default none: every slice's result must fit into its item */
  readonly output?: ScanOutput;
  /** A table in which the work's own writes are fenced. @default none */
  readonly ledger?: ITable;
  /** What is done with every page: your own module. @default the inventory: counts, bytes, ages, by prefix and extension */
  readonly processor?: ScanProcessor;
  /** Whether workers may read the objects, not only list them; a processor that opens them needs it. @default false */
  readonly readObjects?: boolean;
  /** Whether whoever scans pays for requests and transfer: for a bucket whose owner demands it. @default false */
  readonly requesterPays?: boolean;
  /** When a scan starts by itself. @default never: somebody starts an execution */
  readonly schedule?: ScanSchedule;

  /** How many seats an execution has unless its input says otherwise: 1 to 1,000. @default 16 */
  readonly seats?: number;
  /** How many slices to plan unless the input says otherwise: 1 to 10,000. @default one a seat */
  readonly slices?: number;
  /**
   * How many seats may work at once: 1 to 1,000. It is the scan's share of the account's concurrent executions.
   * @default the number of seats
   */
  readonly maxConcurrency?: number;
  /**
   * How many concurrent executions are reserved for the worker's function, over all runs; more are refused, and tried
   * again. At least `maxConcurrency`, so that one run can use its share.
   *
   * @default none: it shares the account's with all others
   */
  readonly reservedConcurrency?: number;
  /** How often the seats are filled before the execution fails: 1 to 20. @default 5 */
  readonly maxRounds?: number;
  /** The pause between rounds. @default 5 seconds */
  readonly roundPause?: Duration;
  /** The end of an execution. @default 1 day */
  readonly timeout?: Duration;

  /** How long a lease runs without a renewal: a second to half of `workTimeout`. @default 30 seconds */
  readonly lease?: Duration;
  /** The time-out of the worker's function, at least 30 seconds; it hands its slice over in time. @default 15 minutes */
  readonly workTimeout?: Duration;
  /** The worker's memory, in MB: 128 to 10,240. @default 512 */
  readonly workMemoryMb?: number;

  /** Whether the functions log what happens to slices. @default true */
  readonly logs?: boolean;
  /** What the state machine logs; input and output are never logged. @default LogLevel.ALL: every step of an execution */
  readonly logLevel?: LogLevel;
  /** Whether the functions count what happens to slices and locks, in CloudWatch. @default true */
  readonly metrics?: boolean;
  /** The name under which the functions log and count: the metrics' dimension `service`. @default leasehold */
  readonly serviceName?: string;
  /** X-Ray for functions and state machine. @default false */
  readonly tracing?: boolean;
  /**
   * A customer's key for what is stored here: the functions' environment, the executions' data, the logs, the schedule.
   * The table that is made here has it, too.
   *
   * @default AWS's own keys
   */
  readonly encryptionKey?: IKey;
  /** What becomes of the log groups, and of the table made here, when they leave the stack. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy;
}

/** What an execution of a scan may be told; what is left out, the construct's own settings say. */
export interface ScanInput {
  /** A prefix inside the one that the roles may list. @default the construct's */
  readonly prefix?: string;
  /** How many workers: 1 to 1,000. @default the construct's */
  readonly seats?: number;
  /** How many slices to plan: 1 to 10,000. @default the construct's */
  readonly slices?: number;
  /** Keys a request: 1 to 1,000. @default 1,000 */
  readonly pageSize?: number;
  /** Keys at which slices begin and end, by hand or from an earlier run. @default those that the plan finds */
  readonly cuts?: readonly string[];
}

/** When a scan starts by itself. */
export interface ScanSchedule {
  /** E.g. `ScheduleExpression.rate(Duration.days(1))`. */
  readonly expression: ScheduleExpression;
  /** What the executions are told. @default {} */
  readonly input?: ScanInput;
  /** How much later it may start. @default TimeWindow.off() */
  readonly timeWindow?: TimeWindow;
  /** Whether it starts anything now. @default true */
  readonly enabled?: boolean;
}

/**
 * Starts the state machine on a schedule. EventBridge Scheduler delivers at least once, so a start may rarely come
 * twice: two runs then, each complete by itself.
 */
export function scheduleScan(
  scope: Construct,
  stateMachine: IStateMachine,
  { expression, input = {}, timeWindow, enabled }: ScanSchedule,
  key: IKey | undefined,
): Schedule {
  return new Schedule(scope, 'Schedule', {
    description: 'Leasehold: starts a scan',
    schedule: expression,
    target: new StepFunctionsStartExecution(stateMachine, { input: ScheduleTargetInput.fromObject(input) }),
    timeWindow,
    enabled,
    key,
  });
}

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
