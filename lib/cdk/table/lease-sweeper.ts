import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { sweepName } from '../../table/sweep/sweep-name.js';
import { acknowledgeWildcards } from '../functions/acknowledged.js';
import { bundledFunction } from '../functions/bundle-directory.js';
import { functionRole } from '../functions/function-role.js';
import type { ILeaseTable } from './lease-table-base.js';
import type { LeaseSweeperProps } from './lease-table-props.js';

/**
 * A function on a schedule that deletes what TTL would delete, from a table that can't have it. It may read all of
 * the table and delete from it, under conditions that no item passes whose lease could be valid.
 */
export class LeaseSweeper extends Construct {
  /** The function. */
  readonly function: LambdaFunction;

  /** @throws Error if a setting is out of its range, or if the bundles were not built */
  constructor(
    scope: Construct,
    id: string,
    leases: ILeaseTable,
    props: LeaseSweeperProps & { readonly removalPolicy?: RemovalPolicy } = {},
  ) {
    super(scope, id);
    const { every = Duration.hours(6), deletesPerSecond = 100 } = props;
    if (!Number.isInteger(deletesPerSecond) || deletesPerSecond < 1 || deletesPerSecond > 1_000) {
      throw new Error(
        `sweeper.deletesPerSecond: must be a whole number from 1 to 1000, got ${deletesPerSecond}`,
      );
    }
    if (!every.isUnresolved() && (every.toSeconds() < 900 || every.toSeconds() > 86_400)) {
      throw new Error(`sweeper.every: must be from 15 minutes to 1 day, got ${every.toHumanString()}`);
    }
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    });
    this.function = new LambdaFunction(this, 'Function', {
      description: 'Leasehold: deletes expired items, as TTL would',
      ...bundledFunction('sweep'),
      runtime: props.runtime ?? Runtime.NODEJS_LATEST,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.minutes(15),
      environment: {
        LEASEHOLD_TABLE: leases.tableName,
        LEASEHOLD_DELETES_PER_SECOND: String(deletesPerSecond),
        // One lock every some hours, of its own: that is nothing to see among the workers'.
        LEASEHOLD_METRICS: 'off',
      },
      role: functionRole(this, 'FunctionRole', logGroup),
      logGroup,
    });
    Grant.addToPrincipal({
      grantee: this.function,
      actions: ['dynamodb:Scan', 'dynamodb:DeleteItem'],
      resourceArns: [leases.tableArn],
    });
    leases.grantUse(this.function, { names: [sweepName] });
    acknowledgeWildcards(
      this.function.role!,
      /^kms:(ReEncrypt|GenerateDataKey)\*$/,
      'Variants of one action on one key.',
    );
    new Rule(this, 'Schedule', {
      description: 'Leasehold: starts a sweep of the lease table, or goes on with one',
      schedule: Schedule.rate(every),
      targets: [new LambdaTarget(this.function, { retryAttempts: 2, maxEventAge: every })],
    });
  }
}
