import type { StackProps } from 'aws-cdk-lib';
import { checkKnown } from '../functions/known.js';

/** What the stack can be told; `bin/app.ts` takes each from the CDK context of the same name. */
export interface LeaseholdStackProps extends StackProps {
  /** The name of the table of leases. @default one that CloudFormation makes up */
  readonly tableName?: string;
  /**
   * Whether table and logs stay when they leave the stack, and the table is protected from being deleted. Without it
   * all that was ever held is forgotten with the stack.
   *
   * @default true
   */
  readonly keep?: boolean;

  /** Whether there is a lock service. @default true */
  readonly lockService?: boolean;
  /** The names that its callers may lock: exact ones, or beginnings that end in `*`. @default all */
  readonly lockNames?: readonly string[];
  /** Whether there is a function for operators, which may break and reopen locks. @default true */
  readonly operators?: boolean;
  /** Whether callers may come over HTTPS, signed by IAM. @default false */
  readonly functionUrl?: boolean;
  /** How many concurrent executions are reserved for the lock service's callers. @default none */
  readonly lockConcurrency?: number;
  /** ARNs of the state machines whose executions may hold locks. @default none */
  readonly watchExecutions?: readonly string[];

  /** The name of an existing bucket to scan. @default none: there is no scan */
  readonly bucketName?: string;
  /** Whether the template asks for the bucket's name at deployment instead. @default false */
  readonly bucketParameter?: boolean;
  /** The prefix to scan. @default the whole bucket */
  readonly prefix?: string;
  /** The name of an existing bucket for large results. @default none */
  readonly outputBucketName?: string;
  /** The prefix of large results. @default leasehold/ */
  readonly outputPrefix?: string;
  /** Whether workers may read the objects. @default false */
  readonly readObjects?: boolean;
  /** How many workers. @default 16 */
  readonly seats?: number;
  /** How many seats may work at once: the scan's share of the account's concurrent executions. @default the number of seats, at most 8 */
  readonly maxConcurrency?: number;
  /** How many concurrent executions are reserved for the scan's workers, over all runs. @default none */
  readonly reservedConcurrency?: number;
  /** Whether whoever scans pays for requests: for a bucket whose owner demands it. @default false */
  readonly requesterPays?: boolean;
  /** How many slices to plan. @default one a seat */
  readonly slices?: number;
  /** How long a lease of the scan runs without a renewal, in milliseconds. @default 30000 */
  readonly leaseMs?: number;
  /** When a scan starts by itself: an expression of EventBridge Scheduler, such as `rate(1 day)`. @default never */
  readonly schedule?: string;

  /** Whether there is a dashboard. @default true */
  readonly dashboard?: boolean;
  /** Whether there are alarms. @default true */
  readonly alarms?: boolean;
  /** The ARN of an SNS topic that alarms tell. @default none: they are seen on the dashboard and in the console */
  readonly alarmTopicArn?: string;
  /** Whether the functions log what happens. @default true */
  readonly logs?: boolean;
  /** Whether the functions count what happens; dashboard and alarms live on it. @default true */
  readonly metrics?: boolean;
  /** X-Ray. @default false */
  readonly tracing?: boolean;
}

const ofTheLockService = [
  'lockNames',
  'operators',
  'functionUrl',
  'lockConcurrency',
  'watchExecutions',
] as const;
const ofTheScan = [
  'prefix',
  'outputBucketName',
  'readObjects',
  'seats',
  'slices',
  'maxConcurrency',
  'reservedConcurrency',
  'requesterPays',
  'leaseMs',
  'schedule',
] as const;

/**
 * A setting of something that is not there was a mistake, and would be seen late.
 *
 * @throws Error that names it, and what it needs
 */
export function refuseIdle(props: LeaseholdStackProps): void {
  checkKnown(props, ['keep', 'lockService', 'bucketParameter', 'dashboard', 'alarms']);
  // The lock service would name the option by its own name.
  if (props.watchExecutions?.length) checkKnown(props, ['lockNames']);
  const { bucketName, bucketParameter, lockService, outputPrefix, outputBucketName } = props;
  if (bucketName !== undefined && bucketParameter)
    throw new Error('bucketParameter: must be left out where bucketName is given');
  const idle = (names: readonly (keyof LeaseholdStackProps)[], needs: string) => {
    const name = names.find((one) => props[one] !== undefined);
    if (name) throw new Error(`${name}: counts for nothing without ${needs}`);
  };
  if (lockService === false) idle(ofTheLockService, 'the lock service, which was left out');
  if (bucketName === undefined && !bucketParameter)
    idle(ofTheScan, 'a scan: give bucketName, or bucketParameter');
  if (props.alarms === false) idle(['alarmTopicArn'], 'the alarms, which were left out');
  if (outputPrefix !== undefined && outputBucketName === undefined)
    idle(['outputPrefix'], 'outputBucketName');
}
