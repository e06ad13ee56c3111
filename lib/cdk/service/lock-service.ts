import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import {
  type FunctionUrl,
  FunctionUrlAuthType,
  type IFunction,
  Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IConstruct } from 'constructs';
import type { MetricName } from '../../lambda/observability/metric-names.js';
import { demandedGrant } from '../functions/demanded-grant.js';
import { checkDuration } from '../functions/durations.js';
import { checkFunctionSettings } from '../functions/function-settings.js';
import { checkKnown, checkName, checkWhole, wholeSeconds } from '../functions/known.js';
import { checkServiceName, LeaseMetrics } from '../observability/lease-metrics.js';
import { checkedPatterns } from '../table/lease-statements.js';
import { LeaseTable } from '../table/lease-table.js';
import type { ILeaseTable } from '../table/lease-table-base.js';
import { type LockServiceProps, serviceFunction } from './lock-service-function.js';

import { WatchedExecutions } from './watched-executions.js';

/** A lock service, made here or elsewhere. */
export interface ILockService extends IConstruct {
  /** The callers' function: `new LockClient({ service: function.functionArn })`; its name will do in its own account and Region. */
  readonly function: IFunction;
  /** Lets a role acquire, renew, release, complete, inspect and list, within the names that the service allows. */
  grantInvoke(grantee: IGrantable): Grant;
}

/** The least and the most that a lease may last, and the least and the most that a request may take. */
const minLease = Duration.seconds(1);
const maxLease = Duration.days(366);
const minTimeout = Duration.seconds(3);
const maxTimeout = Duration.minutes(15);
/** Lambda's limit on the name of a function. */
const maxFunctionName = 64;
const operatorsSuffix = '-operators';

/**
 * The Lambda function behind `LockClient({ service })` and Step Functions tasks: callers need no access to the table,
 * only the right to invoke it. Each request is one JSON object, and so is each answer.
 *
 * Two further functions come from the same bundle when they are asked for: the operators', which may also break and
 * reopen, and one that is told when an execution of Step Functions ends, and frees what it held.
 */
export class LockService extends Construct implements ILockService {
  /** A service by the ARN of its callers' function. One of another account must let this one in by itself. */
  static fromFunctionArn(scope: Construct, id: string, functionArn: string): ILockService {
    return new ImportedService(scope, id, (self) =>
      // Whoever owns it says who else may invoke it; here only the caller's own role can be told.
      LambdaFunction.fromFunctionAttributes(self, 'Function', { functionArn, skipPermissions: true }),
    );
  }

  /** A service by the name of its callers' function, in the same account and Region. */
  static fromFunctionName(scope: Construct, id: string, functionName: string): ILockService {
    return new ImportedService(scope, id, (self) =>
      LambdaFunction.fromFunctionName(self, 'Function', functionName),
    );
  }

  /** The table of leases. */
  readonly leases: ILeaseTable;
  readonly function: LambdaFunction;
  /** The operators' function, with the option `operators`. */
  readonly operatorsFunction?: LambdaFunction;
  /** The HTTPS endpoint, with the option `functionUrl`. */
  readonly url?: FunctionUrl;
  /** The names that callers may lock; undefined for all. */
  readonly names?: readonly string[];
  readonly #props: LockServiceProps;
  /** What happens to the locks of this service. Others that go by the same service name are in it, too. */
  readonly metrics: LeaseMetrics;
  #watched: WatchedExecutions | undefined;

  /** @throws Error for an option that can't be, or if the bundles were not built */
  constructor(scope: Construct, id: string, props: LockServiceProps = {}) {
    super(scope, id);
    check(props);
    this.#props = props;
    this.names = props.names;
    this.metrics = new LeaseMetrics(props.serviceName);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    this.leases =
      props.leases ??
      new LeaseTable(this, 'Leases', {
        removalPolicy,
        deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
      });
    this.function = serviceFunction(this, 'Service', this.leases, props, {
      description: 'Leasehold: locks, for callers',
      operations: 'use',
      functionName: props.functionName,
      reservedConcurrentExecutions: props.reservedConcurrency,
    });
    this.leases.grantUse(this.function, this.#scope());
    this.leases.grantRead(this.function, this.#scope());
    if (props.operators) {
      this.operatorsFunction = serviceFunction(this, 'Operators', this.leases, props, {
        description: 'Leasehold: locks, for operators',
        operations: 'operate',
        functionName: props.functionName && `${props.functionName}${operatorsSuffix}`,
      });
      this.leases.grantUse(this.operatorsFunction, this.#scope());
      this.leases.grantBreak(this.operatorsFunction, this.#scope());
    }
    if (props.functionUrl) this.url = this.function.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM });
    for (const machine of props.watchExecutions ?? []) this.watchExecutions(machine);
  }

  grantInvoke(grantee: IGrantable): Grant {
    return demandedGrant('grantInvoke', grantee, this.function.grantInvoke(grantee));
  }

  /**
   * Lets a role do all that callers may, and break and reopen.
   *
   * @throws Error without the option `operators`
   */
  grantOperate(grantee: IGrantable): Grant {
    if (!this.operatorsFunction) {
      throw new Error(`${this.node.path}: grantOperate() needs the option operators: true`);
    }
    return demandedGrant('grantOperate', grantee, this.operatorsFunction.grantInvoke(grantee));
  }

  /**
   * Lets a role send requests to the HTTPS endpoint, which it signs.
   *
   * @throws Error without the option `functionUrl`
   */
  grantInvokeUrl(grantee: IGrantable): Grant {
    if (!this.url) throw new Error(`${this.node.path}: grantInvokeUrl() needs the option functionUrl: true`);
    return demandedGrant('grantInvokeUrl', grantee, this.url.grantInvokeUrl(grantee));
  }

  /**
   * Lets the executions of a state machine hold locks: the service may ask for their status, so that the next taker
   * need not wait for the lease of one that is over, and a rule tells it of their ends, which frees what they held.
   *
   * @param machine a state machine, or its ARN, which may end in `*`
   * @throws Error for what is no ARN of a state machine, or if the service's `names` are a list that only deployment knows
   */
  watchExecutions(machine: IStateMachine | string): void {
    // A batch reads an execution's own item along with its locks', so one statement must allow both.
    checkKnown(this.#props, ['names']);
    this.#watched ??= this.#watch();
    this.#watched.add(machine);
  }

  /** Whether executions of any state machine are watched. */
  get isWatchingExecutions(): boolean {
    return this.#watched !== undefined;
  }

  /** Whether callers may lock this name. */
  allows(name: string): boolean {
    return (
      this.names?.some(
        (one) =>
          Token.isUnresolved(one) || (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one),
      ) ?? true
    );
  }

  /** Any metric of the locks of this service, by its name. @default counts as sums, times as 99th percentiles, over 5 minutes */
  metric(name: MetricName, options?: MetricOptions): Metric {
    return this.metrics.metric(name, options);
  }

  /** Leases granted. @default the sum over 5 minutes */
  metricGranted(options?: MetricOptions): Metric {
    return this.metrics.granted(options);
  }

  /** Acquires that found the lock held. @default the sum over 5 minutes */
  metricHeld(options?: MetricOptions): Metric {
    return this.metrics.held(options);
  }

  /** How long leases were held whose holder ended them, in milliseconds. @default the 99th percentile over 5 minutes */
  metricHoldTime(options?: MetricOptions): Metric {
    return this.metrics.holdTime(options);
  }

  /** Grants of a lock whose last holder had not released it. @default the sum over 5 minutes */
  metricTakeovers(options?: MetricOptions): Metric {
    return this.metrics.takeovers(options);
  }

  /** Leases that were over without their holder's doing. @default the sum over 5 minutes */
  metricLost(options?: MetricOptions): Metric {
    return this.metrics.lost(options);
  }

  /** Releases that failed. @default the sum over 5 minutes */
  metricReleasesFailed(options?: MetricOptions): Metric {
    return this.metrics.releasesFailed(options);
  }

  /** Requests that the table throttled until the SDK gave up. @default the sum over 5 minutes */
  metricStoreThrottled(options?: MetricOptions): Metric {
    return this.metrics.storeThrottled(options);
  }

  #scope() {
    const { names, groups } = this.#props;
    // Callers may wait in line for whatever they may lock. No keys of lines can be made from a list that only deployment
    // knows; its beginnings of names cover their lines all the same.
    const fairLocks = names && !Token.isUnresolved(names) && { fairLocks: names };
    return { ...(names && { names, ...fairLocks }), ...(groups && { groups }) };
  }

  #watch(): WatchedExecutions {
    const lambda = serviceFunction(this, 'Executions', this.leases, this.#props, {
      description: 'Leasehold: frees what an execution held when it ends',
      operations: 'use',
      timeout: Duration.minutes(1),
    });
    const { names } = this.#props;
    // Of an execution's own item, which names the locks that it holds in groups of their own.
    const own = ['execution/*'];
    this.leases.grantUse(lambda, { names: names && [...names, ...own], groups: own });
    if (names) {
      for (const one of [this.function, this.operatorsFunction]) {
        if (one) this.leases.grantUse(one, { names: own });
      }
    }
    const all = [this.function, this.operatorsFunction, lambda].filter((one) => one !== undefined);
    return new WatchedExecutions(this, 'Watched', {
      roles: all.map(({ role }) => role!),
      lambda,
      removalPolicy: this.#props.removalPolicy ?? RemovalPolicy.RETAIN,
    });
  }
}

/** @throws Error that says what came and what is allowed */
function check(props: LockServiceProps): void {
  checkKnown(props, [
    'operators',
    'functionUrl',
    'watchExecutions',
    'logs',
    'metrics',
    'tracing',
    'removalPolicy',
  ]);
  checkFunctionSettings(props);
  checkedPatterns('names', props.names);
  checkedPatterns('groups', props.groups);
  checkDuration('maxLease', props.maxLease, minLease, maxLease);
  checkDuration('timeout', props.timeout, minTimeout, maxTimeout);
  if (props.timeout) wholeSeconds('timeout', props.timeout);
  checkWhole('memoryMb', props.memoryMb, 128, 10_240);
  checkWhole('reservedConcurrency', props.reservedConcurrency, 1, Number.MAX_SAFE_INTEGER);
  const longest = maxFunctionName - (props.operators ? operatorsSuffix.length : 0);
  const limits = `1 to ${longest} of A-Z a-z 0-9 _ -${props.operators ? `, since the operators' function is named after it` : ''}`;
  checkName('functionName', props.functionName, new RegExp(`^[\\w-]{1,${longest}}$`), limits);
  checkServiceName(props.serviceName);
}

class ImportedService extends Construct implements ILockService {
  readonly function: IFunction;

  constructor(scope: Construct, id: string, functionOf: (self: Construct) => IFunction) {
    super(scope, id);
    this.function = functionOf(this);
  }

  grantInvoke(grantee: IGrantable): Grant {
    return demandedGrant('grantInvoke', grantee, this.function.grantInvoke(grantee));
  }
}
