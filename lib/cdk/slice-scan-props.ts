import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Runtime } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { LogLevel } from 'aws-cdk-lib/aws-stepfunctions';
import type { LeaseTable } from './lease-table.js';

/** Where results go that are too large for an item, and what a processor writes. */
export interface ScanOutput {
  readonly bucket: IBucket;
  /** Must not lie inside the scanned prefix of the same bucket. */
  readonly prefix: string;
}

/** What a `SliceScan` can be told. */
export interface SliceScanProps {
  /** The bucket to scan: a general purpose bucket, not a directory bucket. */
  readonly bucket: IBucket;
  /** The prefix to scan. The roles may list nothing else, so an execution can only narrow it. @default the whole bucket */
  readonly prefix?: string;
  /** The table of leases. @default a new one */
  readonly leases?: LeaseTable;
  /** Where large results go. @default none: every slice's result must fit into its item */
  readonly output?: ScanOutput;
  /** A table in which the work's own writes are fenced. @default none */
  readonly ledger?: ITable;
  /** Whether workers may read the objects, not only list them. @default false */
  readonly readObjects?: boolean;

  /** How many seats an execution has unless its input says otherwise. @default 16 */
  readonly seats?: number;
  /** How many slices to plan unless the input says otherwise. @default twice the seats */
  readonly slices?: number;
  /** How many seats may work at once. @default the number of seats */
  readonly maxConcurrency?: number;
  /** How often the seats are filled before the execution fails. @default 5 */
  readonly maxRounds?: number;
  /** The pause between rounds. @default 5 seconds */
  readonly roundPause?: Duration;
  /** The end of an execution. @default 1 day */
  readonly timeout?: Duration;

  /** How long a lease runs without a renewal. @default 30 seconds */
  readonly lease?: Duration;
  /** The time-out of the worker's function; it hands its slice over in time. @default 15 minutes */
  readonly workTimeout?: Duration;
  /** The worker's memory, in MB. @default 512 */
  readonly workMemoryMb?: number;
  /** The functions' runtime. @default the newest Node.js that CDK knows */
  readonly runtime?: Runtime;

  /** How long logs are kept. @default one month */
  readonly logRetention?: RetentionDays;
  /** What the state machine logs; input and output are never logged. @default LogLevel.ERROR */
  readonly logLevel?: LogLevel;
  /** X-Ray for functions and state machine. @default false */
  readonly tracing?: boolean;
  /** What becomes of the log groups, and of the table made here, when they leave the stack. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy;
}
