import type { IMetric, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type ITableV2, Operation } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct, type IConstruct } from 'constructs';
import { type LeaseActions, leaseStatements } from './lease-statements.js';
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
    if (props.heldChecks && this.noTransactions) throw new Error(`heldChecks: ${this.noTransactions}`);
    const byKey = ['dynamodb:GetItem', 'dynamodb:UpdateItem'];
    if (props.scans) byKey.push('dynamodb:PutItem');
    if (props.heldChecks) byKey.push('dynamodb:ConditionCheckItem');
    return this.#grant(grantee, props, { byKey, byGroup: look.byGroup }, 'write');
  }

  grantRead(grantee: IGrantable, scope: LockScope = {}): Grant {
    return this.#grant(grantee, scope, look, 'read');
  }

  grantBreak(grantee: IGrantable, scope: LockScope = {}): Grant {
    const actions = { ...look, byKey: [...look.byKey, 'dynamodb:UpdateItem'] };
    return this.#grant(grantee, scope, actions, 'write');
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

  #grant(grantee: IGrantable, scope: LockScope, actions: LeaseActions, kind: 'read' | 'write'): Grant {
    const grants = leaseStatements(this.tableArns, scope, actions).map((statement) =>
      Grant.addToPrincipal({ grantee, ...statement }),
    );
    // DynamoDB uses a customer's key in the name of whoever sends the request.
    const key = this.table.encryptionKey;
    if (key) grants.push(kind === 'read' ? key.grantDecrypt(grantee) : key.grantEncryptDecrypt(grantee));
    if (this.replicaKeyArns.length > 0) {
      const write = kind === 'write' ? ['kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'] : [];
      const actions = ['kms:Decrypt', ...write];
      grants.push(Grant.addToPrincipal({ grantee, actions, resourceArns: [...this.replicaKeyArns] }));
    }
    return grants.reduce((all, one) => all.combine(one));
  }
}
