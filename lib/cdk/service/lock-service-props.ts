import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { FunctionSettings } from '../functions/function-settings.js';
import type { ObservabilitySettings } from '../observability/lease-metrics.js';
import type { ILeaseTable } from '../table/lease-table-base.js';

/** What a `LockService` can be told. */
export interface LockServiceProps extends FunctionSettings, ObservabilitySettings {
  /** The table of leases. @default a new one */
  readonly leases?: ILeaseTable;
  /**
   * The names that callers may lock: exact ones, or beginnings that end in `*`. The service refuses others, and its
   * roles can't reach them. @default all
   */
  readonly names?: readonly string[];
  /**
   * The groups that callers may list and put locks into: exact ones, or beginnings that end in `*`.
   * @default all; where names is given, none can be listed, and locks go into those that names allows
   */
  readonly groups?: readonly string[];
  /** Whether there is a second function, which may break and reopen; see `grantOperate`. @default false */
  readonly operators?: boolean;
  /**
   * The state machines whose executions may hold locks: their executions' status may be asked for, and their ends free
   * what they hold. An ARN may end in `*`. @default none; see also `watchExecutions()`
   */
  readonly watchExecutions?: readonly (IStateMachine | string)[];
  /** Whether callers may come over HTTPS, signed by IAM; see `grantInvokeUrl`. @default false */
  readonly functionUrl?: boolean;

  /** The longest lease that a caller may ask for; an execution may hold for longer. @default 15 minutes */
  readonly maxLease?: Duration;
  /** The name of the callers' function, for `new LockClient({ service })`. @default one that CloudFormation makes up */
  readonly functionName?: string;
  /** How many requests may run at once, at the most; more are throttled. @default no limit of its own */
  readonly reservedConcurrency?: number;
  /** The end of one request. @default 10 seconds */
  readonly timeout?: Duration;
  /** The functions' memory, in MB; their processor's share grows with it. @default 512 */
  readonly memoryMb?: number;
  /** What becomes of logs, undelivered events, and the table made here, when they leave the stack. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy;
}
