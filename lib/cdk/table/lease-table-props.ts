import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { MultiRegionConsistency, TableEncryptionV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { FunctionSettings } from '../functions/function-settings.js';

/** What a `LeaseTable` can be told. */
export interface LeaseTableProps {
  /** The table's name. @default one that CloudFormation makes up */
  readonly tableName?: string;
  /** The key that encrypts the table; a customer's key is granted along with the table. @default one that DynamoDB owns */
  readonly encryption?: TableEncryptionV2;
  /** Whether the table can be restored to any second of the last 35 days. @default true */
  readonly pointInTimeRecovery?: boolean;
  /** Whether the table can't be deleted. @default true */
  readonly deletionProtection?: boolean;
  /** What becomes of the table, and of its sweeper's logs, when it leaves the stack. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy;
  /** Whether CloudWatch Contributor Insights shows the names that are throttled most. @default false */
  readonly contributorInsights?: boolean;
  /** Other Regions in which the same locks can be taken. @default none: the table is in the stack's Region only */
  readonly replicas?: LeaseTableReplicas;
  /** How expired items are deleted from a table with replicas, which has no TTL. @default see each setting */
  readonly sweeper?: LeaseSweeperProps;
}

/** What is to be known of a table that exists. */
export interface ExistingLeaseTableProps {
  /** Its name, in the stack's account and Region. @default tableArn is given */
  readonly tableName?: string;
  /** Its ARN, also of another account or Region; another account's needs a policy that allows its use. @default tableName is given */
  readonly tableArn?: string;
  /** The customer's key that encrypts it; it is granted along with the table. @default one that DynamoDB owns */
  readonly encryptionKey?: IKey;
}

/**
 * The Regions of a strongly consistent global table: three with a replica each, the stack's own being one of them;
 * or two with a replica each and a third with a witness, which stores no items.
 */
export interface LeaseTableReplicas {
  /** The Regions of the replicas, without the stack's own. */
  readonly regions: readonly string[];
  /** The Region of the witness, in place of a third replica. @default none */
  readonly witness?: string;
  /** Only strong consistency can hold locks; the other is refused, with the reason. @default MultiRegionConsistency.STRONG */
  readonly consistency?: MultiRegionConsistency;
}

/** What the sweeper of a table with replicas can be told. */
export interface LeaseSweeperProps extends FunctionSettings {
  /** How often a sweep is started, or gone on with. @default every 6 hours */
  readonly every?: Duration;
  /** How many items are deleted in a second, at most. @default 100 */
  readonly deletesPerSecond?: number;
}

/** Which locks a grant is about. */
export interface LockScope {
  /** Names, or beginnings of names with a `*` at the end. @default all */
  readonly names?: readonly string[];
  /** Groups that may be listed, in the same form. @default all if `names` is left out as well, else none */
  readonly groups?: readonly string[];
}

/** What `grantUse` can be told. Of what it lists here, everything else stays forbidden: also where `names` is left out. */
export interface UseGrantProps extends LockScope {
  /** Semaphores whose permits may be used: their names, or beginnings with a `*` at the end. @default none */
  readonly semaphores?: readonly string[];
  /** Read-write locks that may be read and written under, in the same form. @default none */
  readonly readWriteLocks?: readonly string[];
  /** Locks that may be acquired in line (`fair`): each has an item for its line, in the same form. @default none */
  readonly fairLocks?: readonly string[];
  /** Whether the grantee plans and works scans, whose slices are items that are put into the table. @default false */
  readonly scans?: boolean;
  /** Whether the grantee checks in its own transactions that its lease is held (`guardTransaction` with `leaseTable`). @default false */
  readonly heldChecks?: boolean;
}
