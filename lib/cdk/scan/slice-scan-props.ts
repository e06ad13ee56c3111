import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { LogLevel } from 'aws-cdk-lib/aws-stepfunctions';
import type { FunctionSettings } from '../functions/function-settings.js';
import type { ILeaseTable } from '../table/lease-table-base.js';
import type { ScanProcessor } from './scan-processor.js';
import type { ScanSchedule } from './scan-schedule.js';

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
