import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITable, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/** What a {@link LeaseTable} can be told. */
export interface LeaseTableProps {
  /** The table's name. @default one that CloudFormation makes up */
  readonly tableName?: string;
  /** Whether the table can't be deleted. @default true */
  readonly deletionProtection?: boolean;
  /** What becomes of the table when it leaves the stack. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy;
}

/** The index over `group`. The client knows it by this name. */
const groupIndexName = 'byGroup';

/**
 * The table that holds the leases: on demand, with TTL as garbage collection, point-in-time recovery, and the
 * index by which the slices of a run are found. Fencing tokens live in it, so it is kept unless told otherwise: a
 * table that is deleted and made again would start from a later token, but forget who holds what.
 */
export class LeaseTable extends Construct {
  /** The table itself. */
  readonly table: ITable;

  constructor(scope: Construct, id: string, props: LeaseTableProps = {}) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      tableName: props.tableName,
      partitionKey: { name: 'name', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: props.deletionProtection ?? true,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      globalSecondaryIndexes: [
        {
          indexName: groupIndexName,
          partitionKey: { name: 'group', type: AttributeType.STRING },
          sortKey: { name: 'name', type: AttributeType.STRING },
          // Keys only: a renewal changes none of them, so the index costs renewals nothing.
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
  }

  /** What a client needs to take, hold and find leases, and no more: no scan, no delete, no other index. */
  grantUse(grantee: IGrantable): Grant {
    const table = Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      resourceArns: [this.table.tableArn],
    });
    const index = Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:Query'],
      resourceArns: [`${this.table.tableArn}/index/${groupIndexName}`],
    });
    return table.combine(index);
  }
}
