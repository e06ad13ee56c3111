import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ContributorInsightsMode,
  type ITableV2,
  MultiRegionConsistency,
  ProjectionType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { groupIndexName } from '../../table/table-names.js';
import { checkKnown, checkName } from '../functions/known.js';
import { LeaseSweeper } from './lease-sweeper.js';
import { type ILeaseTable, LeaseTableBase } from './lease-table-base.js';
import type { ExistingLeaseTableProps, LeaseTableProps, LeaseTableReplicas } from './lease-table-props.js';

const whyStrong =
  "an eventually consistent global table checks the condition of a write against the Region's own copy, so two " +
  'Regions would grant the same lock at once, with the same token';

/**
 * Checks replicas as far as CDK does not: which Regions can be combined is CDK's to know.
 *
 * @throws Error that says what came and what is allowed
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
 */
function checkReplicas(scope: Construct, replicas: LeaseTableReplicas): void {
  checkKnown(replicas, ['regions', 'witness', 'consistency'], 'replicas.');
  const { regions, witness, consistency = MultiRegionConsistency.STRONG } = replicas;
  if (consistency !== MultiRegionConsistency.STRONG) {
    throw new Error(`replicas.consistency: must be STRONG, got ${consistency}: ${whyStrong}`);
  }
  if (regions.some((region) => Token.isUnresolved(region))) {
    throw new Error(
      'replicas.regions: must be known when the app is synthesized, got a reference among them',
    );
  }
  const own = Stack.of(scope).region;
  if (Token.isUnresolved(own)) {
    throw new Error("replicas: the stack's own Region must be known; give the stack an env with a region");
  }
  const wanted = witness === undefined ? 2 : 1;
  if (regions.length === wanted) return;
  const came = `[${regions.join(', ')}]${witness === undefined ? '' : ` and the witness ${witness}`}`;
  throw new Error(
    `replicas.regions: beside the stack's own ${own} there must be exactly two Regions, or one and a witness, got ${came}`,
  );
}

/** What is wrong with a table as it is synthesized, whatever was done to it on the way: for a construct's validation. */
function replicaProblems(table: CfnGlobalTable): string[] {
  const replicas = Stack.of(table).resolve(table.replicas) as readonly unknown[] | undefined;
  if ((replicas?.length ?? 0) <= 1 || table.multiRegionConsistency === MultiRegionConsistency.STRONG)
    return [];
  return [
    `The table of leases has replicas and is not strongly consistent: ${whyStrong}. Use the prop "replicas".`,
  ];
}

/**
 * The table that holds the leases: on demand, with TTL as garbage collection, point-in-time recovery, and the
 * index by which the locks of a group are found. Fencing tokens live in it, so it is kept unless told otherwise: a
 * table that is deleted and made again would start from a later token, but forget who holds what.
 */
export class LeaseTable extends LeaseTableBase {
  /** A table that exists, in the stack's account and Region. */
  static fromTableName(scope: Construct, id: string, tableName: string): ILeaseTable {
    return new ExistingLeaseTable(scope, id, (own) => TableV2.fromTableName(own, 'Table', tableName));
  }

  /**
   * A table that exists. One of another account needs a policy of its own that allows its use.
   *
   * @throws Error unless it is the ARN of a table
   */
  static fromTableArn(scope: Construct, id: string, tableArn: string): ILeaseTable {
    checkTableArn(tableArn);
    return new ExistingLeaseTable(scope, id, (own) => TableV2.fromTableArn(own, 'Table', tableArn));
  }

  /**
   * A table that exists, by name or ARN, with what else is to be known of it: a customer's key is granted along.
   *
   * @throws Error unless exactly one of name and ARN is given
   */
  static fromTableAttributes(scope: Construct, id: string, props: ExistingLeaseTableProps): ILeaseTable {
    const { tableName, tableArn, encryptionKey } = props;
    if ((tableName === undefined) === (tableArn === undefined)) {
      throw new Error('tableName, tableArn: exactly one of them must be given');
    }
    checkTableArn(tableArn);
    const named = tableArn === undefined ? { tableName } : { tableArn };
    const grantIndexPermissions = true;
    return new ExistingLeaseTable(scope, id, (own) =>
      TableV2.fromTableAttributes(own, 'Table', { ...named, encryptionKey, grantIndexPermissions }),
    );
  }

  readonly table: ITableV2;
  /** Deletes expired items from a table with replicas; other tables have TTL and no sweeper. */
  readonly sweeper: LeaseSweeper | undefined;
  protected readonly tableArns: readonly string[];
  protected readonly replicaKeyArns: readonly string[];
  protected readonly noTransactions: string | undefined;

  /** @throws Error if the replicas asked for can't hold locks */
  constructor(scope: Construct, id: string, props: LeaseTableProps = {}) {
    super(scope, id);
    const { replicas, removalPolicy = RemovalPolicy.RETAIN } = props;
    checkKnown(props, ['pointInTimeRecovery', 'deletionProtection', 'removalPolicy', 'contributorInsights']);
    checkName('tableName', props.tableName, /^[A-Za-z0-9_.-]{3,255}$/, '3 to 255 of A-Z a-z 0-9 _ . -');
    if (replicas) checkReplicas(this, replicas);
    if (props.sweeper && !replicas)
      throw new Error('sweeper: only a table with replicas has one, others have TTL');
    const table = new TableV2(this, 'Table', {
      tableName: props.tableName,
      partitionKey: { name: 'name', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      encryption: props.encryption,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: props.pointInTimeRecovery ?? true },
      deletionProtection: props.deletionProtection ?? true,
      removalPolicy,
      ...(props.contributorInsights && {
        contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
      }),
      globalSecondaryIndexes: [
        {
          indexName: groupIndexName,
          partitionKey: { name: 'group', type: AttributeType.STRING },
          sortKey: { name: 'name', type: AttributeType.STRING },
          // Keys only: a renewal changes none of them, so the index costs renewals nothing.
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      ...(replicas
        ? {
            // A strongly consistent table has no TTL: the sweeper does its work.
            multiRegionConsistency: MultiRegionConsistency.STRONG,
            replicas: replicas.regions.map((region) => ({ region })),
            witnessRegion: replicas.witness,
          }
        : { timeToLiveAttribute: 'ttl' }),
    });
    this.table = table;
    this.tableArns = [table.tableArn, ...(replicas?.regions ?? []).map((region) => this.#arnIn(region))];
    this.replicaKeyArns = Object.values(props.encryption?.replicaKeyArns ?? {});
    this.noTransactions = replicas && 'a strongly consistent global table has no transactions';
    this.sweeper = replicas && new LeaseSweeper(this, 'Sweeper', this, { ...props.sweeper, removalPolicy });
    const cfn = table.node.defaultChild as CfnGlobalTable;
    this.node.addValidation({ validate: () => [...replicaProblems(cfn), ...policyProblems(cfn)] });
  }

  #arnIn(region: string): string {
    return Stack.of(this).formatArn({
      service: 'dynamodb',
      region,
      resource: 'table',
      resourceName: this.table.tableName,
    });
  }
}

/** @throws Error unless it is the ARN of a table, or known only at deployment */
function checkTableArn(tableArn: string | undefined): void {
  const form = /^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}$/;
  checkName('tableArn', tableArn, form, 'the ARN of a table: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME');
}

/** DynamoDB's limit on the policy of a table. */
const maxPolicyBytes = 20_480;

/** Those who have no policies of their own stand in the table's. */
function policyProblems(table: CfnGlobalTable): string[] {
  const stack = Stack.of(table);
  const replicas = (stack.resolve(table.replicas) ?? []) as readonly { readonly resourcePolicy?: unknown }[];
  const bytes = Math.max(
    0,
    ...replicas.map(({ resourcePolicy = '' }) => JSON.stringify(resourcePolicy).length),
  );
  if (bytes <= maxPolicyBytes) return [];
  return [
    `grantUse: the table's own policy, for those who have none that this app can write, has at most ${maxPolicyBytes} bytes, got some ${bytes}: grant beginnings of names ("a/*"), or to fewer`,
  ];
}

class ExistingLeaseTable extends LeaseTableBase {
  readonly table: ITableV2;
  protected readonly tableArns: readonly string[];
  protected readonly replicaKeyArns = [];
  protected readonly noTransactions = undefined;

  constructor(scope: Construct, id: string, find: (own: Construct) => ITableV2) {
    super(scope, id);
    this.table = find(this);
    this.tableArns = [this.table.tableArn];
  }
}
