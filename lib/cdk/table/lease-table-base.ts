import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IMetric, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type ITableV2, Operation, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, type IConstruct } from 'constructs';
import { demandedGrant, dropsStatements } from '../functions/demanded-grant.js';
import { checkKnown } from '../functions/known.js';
import { type LeaseActions, type LeaseStatement, leaseStatements } from './lease-statements.js';
import type { LockScope, UseGrantProps } from './lease-table-props.js';

/** A table of leases: one made here, or one that exists. */
export interface ILeaseTable extends IConstruct {
  /** The table itself. */
  readonly table: ITableV2;
  /** Its name: what a `LockClient` is made with. */
  readonly tableName: string;
  /** Its ARN, in the stack's Region. */
  readonly tableArn: string;

  /**
   * Lets a worker take, wait for, hold and give back locks; with `groups` list them; no more.
   *
   * @throws Error if a name or group is not in the form allowed, or if the table has no transactions
   */
  grantUse(grantee: IGrantable, props?: UseGrantProps): Grant;

  /** Lets a dashboard look at locks: inspect and list. Without `names` all of the table can be read. */
  grantRead(grantee: IGrantable, scope?: LockScope): Grant;

  /** Lets an operator look at locks, break and reopen them. To IAM it is the same right to write that a worker has. */
  grantBreak(grantee: IGrantable, scope?: LockScope): Grant;

  /** Any of the table's metrics. @default sum over 5 minutes */
  metric(metricName: string, props?: MetricOptions): Metric;
  /** Read units used. @default sum over 5 minutes */
  metricConsumedReadUnits(props?: MetricOptions): Metric;
  /** Write units used; a refused write uses them, too. @default sum over 5 minutes */
  metricConsumedWriteUnits(props?: MetricOptions): Metric;
  /** Writes refused by their condition: mostly tries for a lock that is held. @default sum over 5 minutes */
  metricConditionalCheckFailedRequests(props?: MetricOptions): Metric;
  /** Requests throttled, over all operations that the product sends. @default sum over 5 minutes */
  metricThrottledRequests(props?: MetricOptions): IMetric;
  /** Requests that failed in DynamoDB, over all operations that the product sends. @default sum over 5 minutes */
  metricSystemErrors(props?: MetricOptions): IMetric;
  /** How long an operation takes, in milliseconds. @default average over 5 minutes, of UpdateItem */
  metricSuccessfulRequestLatency(props?: MetricOptions): Metric;
}

/** Everything that the product ever sends to a lease table. */
const operations = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.SCAN,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
];

const look: LeaseActions = {
  byKey: ['dynamodb:GetItem'],
  byGroup: ['dynamodb:BatchGetItem'],
  wholeTable: ['dynamodb:Scan'],
};

/** What an existing table and one made here have in common. */
export abstract class LeaseTableBase extends Construct implements ILeaseTable {
  abstract readonly table: ITableV2;
  /** The table's ARNs in every Region that has a replica. */
  protected abstract readonly tableArns: readonly string[];
  /** The ARNs of a customer's keys in the replicas' Regions. */
  protected abstract readonly replicaKeyArns: readonly string[];
  /** Why the table has no transactions, if it has none. */
  protected abstract readonly noTransactions: string | undefined;

  get tableName(): string {
    return this.table.tableName;
  }

  get tableArn(): string {
    return this.table.tableArn;
  }

  grantUse(grantee: IGrantable, props: UseGrantProps = {}): Grant {
    checkKnown(props, ['scans', 'heldChecks']);
    if (props.heldChecks && this.noTransactions) throw new Error(`heldChecks: ${this.noTransactions}`);
    const byKey = ['dynamodb:GetItem', 'dynamodb:UpdateItem'];
    if (props.scans) byKey.push('dynamodb:PutItem');
    if (props.heldChecks) byKey.push('dynamodb:ConditionCheckItem');
    return this.#grant('grantUse', grantee, props, { byKey, byGroup: look.byGroup }, 'write');
  }

  grantRead(grantee: IGrantable, scope: LockScope = {}): Grant {
    return this.#grant('grantRead', grantee, scope, look, 'read');
  }

  grantBreak(grantee: IGrantable, scope: LockScope = {}): Grant {
    const actions = { ...look, byKey: [...look.byKey, 'dynamodb:UpdateItem'] };
    return this.#grant('grantBreak', grantee, scope, actions, 'write');
  }

  metric(metricName: string, props?: MetricOptions): Metric {
    return this.table.metric(metricName, { statistic: 'sum', ...props });
  }

  metricConsumedReadUnits(props?: MetricOptions): Metric {
    return this.table.metricConsumedReadCapacityUnits(props);
  }

  metricConsumedWriteUnits(props?: MetricOptions): Metric {
    return this.table.metricConsumedWriteCapacityUnits(props);
  }

  metricConditionalCheckFailedRequests(props?: MetricOptions): Metric {
    return this.table.metricConditionalCheckFailedRequests(props);
  }

  metricThrottledRequests(props?: MetricOptions): IMetric {
    return this.table.metricThrottledRequestsForOperations({ ...props, operations });
  }

  metricSystemErrors(props?: MetricOptions): IMetric {
    return this.table.metricSystemErrorsForOperations({ ...props, operations });
  }

  metricSuccessfulRequestLatency(props?: MetricOptions): Metric {
    const dimensionsMap = { TableName: this.tableName, Operation: 'UpdateItem', ...props?.dimensionsMap };
    return this.table.metricSuccessfulRequestLatency({ ...props, dimensionsMap });
  }

  #grant(
    what: string,
    grantee: IGrantable,
    scope: UseGrantProps,
    actions: LeaseActions,
    kind: 'read' | 'write',
  ): Grant {
    const statements = leaseStatements(this.tableArns, scope, actions);
    const grants = statements.map((statement) => this.#allow(what, grantee, statement));
    // DynamoDB uses a customer's key in the name of whoever sends the request.
    const write = kind === 'write' ? ['kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'] : [];
    const keyActions = ['kms:Decrypt', ...write];
    const key = this.table.encryptionKey;
    if (key) grants.push(allowKey(what, grantee, key, keyActions));
    if (this.replicaKeyArns.length > 0) {
      const resourceArns = [...this.replicaKeyArns];
      const replicaKeys = Grant.addToPrincipal({ grantee, actions: keyActions, resourceArns });
      grants.push(demandedGrant(what, grantee, replicaKeys));
    }
    return grants.reduce((all, one) => all.combine(one));
  }

  /** To the grantee's own policies, or to the table's where the app can't write those. */
  #allow(what: string, grantee: IGrantable, statement: LeaseStatement): Grant {
    const grant = Grant.addToPrincipal({ grantee, ...statement });
    if (grant.success && !dropsStatements(grantee)) return grant;
    const { table } = this;
    // A replica has a policy of its own, which can't be written from the stack of another Region.
    if (!(table instanceof TableV2) || this.tableArns.length > 1) return demandedGrant(what, grantee, grant);
    const { actions, conditions } = statement;
    // A policy of the table that named the table by its ARN would wait for it: `*` is what it is attached to.
    const own = {
      actions,
      resources: ['*'],
      principals: [grantee.grantPrincipal],
      ...(conditions && { conditions }),
    };
    table.addToResourcePolicy(new PolicyStatement(own));
    return grant;
  }
}

/** A key made here has a policy; one that was imported has none that could be written. */
function allowKey(what: string, grantee: IGrantable, key: IKey, actions: string[]): Grant {
  if (!dropsStatements(grantee)) return demandedGrant(what, grantee, key.grant(grantee, ...actions));
  const principals = [grantee.grantPrincipal];
  const added = key.addToResourcePolicy(new PolicyStatement({ actions, resources: ['*'], principals }));
  const grant = key.grant(grantee, ...actions);
  return added.statementAdded ? grant : demandedGrant(what, grantee, grant);
}

/**
 * What a function is told of its table: the name where both surely lie in one account and Region, else the ARN. A name
 * means another table elsewhere, or none.
 *
 * @param scope the construct that holds the function
 */
export function tableReference(scope: Construct, { table }: ILeaseTable): string {
  const { account, region } = Stack.of(scope);
  const same = (a: string, b: string) => {
    const compared = Token.compareStrings(a, b);
    return compared === TokenComparison.SAME || compared === TokenComparison.BOTH_UNRESOLVED;
  };
  return same(account, table.env.account) && same(region, table.env.region)
    ? table.tableName
    : table.tableArn;
}
