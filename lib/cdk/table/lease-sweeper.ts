import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { sweepName } from '../../table/table-names.js';
import { acknowledgeWildcards } from '../functions/acknowledged.js';
import { checkDuration } from '../functions/durations.js';
import { checkFunctionSettings } from '../functions/function-settings.js';
import { checkKnown, checkWhole, wholeText } from '../functions/known.js';
import { leaseholdFunction } from '../functions/leasehold-function.js';
import { type ILeaseTable, tableReference } from './lease-table-base.js';
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
    checkFunctionSettings(props, 'sweeper.');
    checkKnown(props, ['every'], 'sweeper.');
    checkWhole('sweeper.deletesPerSecond', deletesPerSecond, 1, 1_000);
    checkDuration('sweeper.every', every, Duration.minutes(15), Duration.days(1));
    this.function = leaseholdFunction(this, '', {
      description: 'Leasehold: deletes expired items, as TTL would',
      bundle: 'sweep',
      settings: props,
      memorySize: 256,
      timeout: Duration.minutes(15),
      removalPolicy: props.removalPolicy,
      environment: {
        LEASEHOLD_TABLE: tableReference(this, leases),
        LEASEHOLD_DELETES_PER_SECOND: wholeText(deletesPerSecond),
        // One lock every some hours, of its own: that is nothing to see among the workers'.
        LEASEHOLD_METRICS: 'off',
      },
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
