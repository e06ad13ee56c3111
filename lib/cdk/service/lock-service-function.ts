import { Duration, Fn, type RemovalPolicy, Token } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { FunctionSettings } from '../functions/function-settings.js';
import { wholeMilliseconds, wholeText } from '../functions/known.js';
import { leaseholdFunction } from '../functions/leasehold-function.js';
import { type ObservabilitySettings, observabilityEnvironment } from '../observability/lease-metrics.js';
import { type ILeaseTable, tableReference } from '../table/lease-table-base.js';

/** The end of one request, unless told otherwise. */
export const defaultServiceTimeout = Duration.seconds(10);

/** What sets one of the service's functions apart from the others. */
export interface ServiceFunctionSettings {
  readonly description: string;
  /** What it may be asked for: what callers may, or all. */
  readonly operations: 'use' | 'operate';
  readonly functionName?: string | undefined;
  readonly reservedConcurrentExecutions?: number | undefined;
  /** @default the one of the properties */
  readonly timeout?: Duration;
}

/** One function of the lock service, from the built bundle. */
export function serviceFunction(
  scope: Construct,
  id: string,
  leases: ILeaseTable,
  props: LockServiceProps,
  { operations, ...settings }: ServiceFunctionSettings,
): LambdaFunction {
  return leaseholdFunction(scope, id, {
    bundle: 'lock-service',
    settings: props,
    memorySize: props.memoryMb ?? 512,
    timeout: props.timeout ?? defaultServiceTimeout,
    tracing: props.tracing,
    removalPolicy: props.removalPolicy,
    environment: {
      LEASEHOLD_TABLE: tableReference(scope, leases),
      LEASEHOLD_OPERATIONS: operations,
      ...(props.names && { LEASEHOLD_NAMES: jsonList(props.names) }),
      ...(props.groups && { LEASEHOLD_GROUPS: jsonList(props.groups) }),
      ...(props.maxLease && {
        LEASEHOLD_MAX_LEASE_MS: wholeText(wholeMilliseconds('maxLease', props.maxLease)),
      }),
      ...observabilityEnvironment(props),
    },
    ...settings,
  });
}

/** A list as JSON. The texts of one that only deployment knows are quoted there. */
function jsonList(texts: readonly string[]): string {
  return Token.isUnresolved(texts) ? `["${Fn.join('","', [...texts])}"]` : JSON.stringify(texts);
}

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
