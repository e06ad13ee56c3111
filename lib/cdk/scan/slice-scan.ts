import { ArnFormat, Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { TableEncryptionV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { acknowledgeWildcards } from '../functions/acknowledged.js';
import type { ScanFunctionName } from '../functions/bundle-directory.js';
import { wholeMilliseconds, wholeText } from '../functions/known.js';
import { leaseholdFunction } from '../functions/leasehold-function.js';
import { LeaseMetrics, observabilityEnvironment } from '../observability/lease-metrics.js';
import { LeaseTable } from '../table/lease-table.js';
import { type ILeaseTable, tableReference } from '../table/lease-table-base.js';
import type { LeaseTableProps } from '../table/lease-table-props.js';
import { scanDefinition, scanStateMachine } from './scan-definition.js';
import type { ScanProcessor } from './scan-processor.js';
import { ImportedSliceScan, type ISliceScan, SliceScanBase } from './slice-scan-base.js';
import { checkSliceScan, type SliceScanProps, scheduleScan } from './slice-scan-props.js';

const defaultSeats = 16;

/** The names and groups of what a scan keeps in the lease table. */
const scanItems = { names: ['scan/*'], groups: ['scan', 'scan/*'], scans: true } as const;

/**
 * Scans one S3 prefix with many workers under leases: three functions and the state machine that runs them.
 *
 * Start an execution with `{}`, or with `{ prefix, seats, slices, cuts }` for what differs from the defaults given
 * here. The execution's name is the run's; `{ "run": "…" }` goes on with an earlier one.
 */
export class SliceScan extends SliceScanBase {
  /** A scan that is deployed elsewhere, to be started or watched from here. */
  static fromStateMachineArn(scope: Construct, id: string, stateMachineArn: string): ISliceScan {
    return new ImportedSliceScan(scope, id, stateMachineArn);
  }

  /** The table of leases. */
  readonly leases: ILeaseTable;
  /** The functions, by what they do. */
  readonly functions: Readonly<Record<ScanFunctionName, LambdaFunction>>;
  /** The state machine; an execution of it is a run. */
  readonly stateMachine: StateMachine;
  /** What the functions count: leases and slices, by state. Others that go by the same service name are in it, too. */
  readonly metrics: LeaseMetrics;

  /**
   * @throws Error for a property that can't be right, naming it, what it may be and what came; if the bundles were
   *   not built
   */
  constructor(scope: Construct, id: string, props: SliceScanProps) {
    super(scope, id);
    checkSliceScan(props);
    this.metrics = new LeaseMetrics(props.serviceName);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    const { encryptionKey } = props;
    this.leases =
      props.leases ?? new LeaseTable(this, 'Leases', leaseTableProps(removalPolicy, encryptionKey));
    if (encryptionKey) grantLogs(this, encryptionKey);

    const environment = makeEnvironment(this, props, this.leases);
    const timeouts = {
      plan: Duration.minutes(5),
      work: props.workTimeout ?? Duration.minutes(15),
      verify: Duration.minutes(5),
    };
    const { processor, workMemoryMb = 512 } = props;
    this.functions = {
      // Planning is the same whatever is done with the pages.
      plan: scanFunction(this, 'plan', props, { environment, timeout: timeouts.plan, memorySizeMb: 512 }),
      work: scanFunction(this, 'work', props, {
        environment,
        timeout: timeouts.work,
        memorySizeMb: workMemoryMb,
        processor,
        reservedConcurrency: props.reservedConcurrency,
      }),
      verify: scanFunction(this, 'verify', props, {
        environment,
        timeout: timeouts.verify,
        memorySizeMb: 512,
        processor,
      }),
    };
    this.#grant(props);

    const seats = props.seats ?? defaultSeats;
    const definition = scanDefinition(this, {
      functions: this.functions,
      timeouts,
      defaults: planDefaults(props, seats),
      maxConcurrency: props.maxConcurrency ?? seats,
      maxRounds: props.maxRounds ?? 5,
      roundPause: props.roundPause ?? Duration.seconds(5),
    });
    this.stateMachine = scanStateMachine(this, definition, props);
    if (props.schedule) scheduleScan(this, this.stateMachine, props.schedule, encryptionKey);
  }

  /** Each function gets what it does, no more. */
  #grant(props: SliceScanProps): void {
    const { plan, work, verify } = this.functions;
    const { bucket, prefix = '', output, ledger } = props;
    for (const lambda of [plan, work, verify]) this.leases.grantUse(lambda, scanItems);
    for (const lambda of [plan, work]) grantListUnder(lambda, bucket, prefix);
    if (props.readObjects) grantReadUnder(work, bucket, prefix);
    if (output) {
      grantWriteUnder(work, output.bucket, output.prefix);
      // A successor goes on from its predecessor's partial result, and Verify merges all of them.
      for (const lambda of [work, verify]) grantReadUnder(lambda, output.bucket, output.prefix);
    }
    ledger?.grant(work, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    ledger?.encryptionKey?.grantEncryptDecrypt(work);
  }
}

function leaseTableProps(removalPolicy: RemovalPolicy, key: IKey | undefined): LeaseTableProps {
  return {
    removalPolicy,
    deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
    ...(key && { encryption: TableEncryptionV2.customerManagedKey(key) }),
  };
}

function makeEnvironment(
  scope: Construct,
  props: SliceScanProps,
  leases: ILeaseTable,
): Record<string, string> {
  return {
    LEASEHOLD_TABLE: tableReference(scope, leases),
    ...observabilityEnvironment(props),
    ...(props.lease && { LEASEHOLD_LEASE_MS: wholeText(wholeMilliseconds('lease', props.lease)) }),
    ...(props.requesterPays && { LEASEHOLD_REQUESTER_PAYS: 'on' }),
    ...(props.ledger && { LEASEHOLD_LEDGER_TABLE: props.ledger.tableName }),
    ...(props.output && {
      LEASEHOLD_OUTPUT_BUCKET: props.output.bucket.bucketName,
      LEASEHOLD_OUTPUT_PREFIX: props.output.prefix,
    }),
  };
}

function planDefaults(props: SliceScanProps, seats: number): Record<string, unknown> {
  return {
    bucket: props.bucket.bucketName,
    prefix: props.prefix ?? '',
    seats,
    slices: props.slices,
  };
}

/**
 * Lets CloudWatch Logs of this Region use a customer's key, for log groups of this account only. The policy of a key
 * that was imported can't be changed from here: its owner adds this statement.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
function grantLogs(scope: Construct, key: IKey): void {
  const stack = Stack.of(scope);
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${stack.region}.amazonaws.com`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': stack.formatArn({
            service: 'logs',
            resource: 'log-group',
            resourceName: '*',
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
}

/**
 * Lets a role list a bucket under one prefix only. Every listing of a scan carries the user's own prefix, so the
 * condition needs no exception for planning.
 */
function grantListUnder(grantee: IGrantable, bucket: IBucket, prefix: string): void {
  // An absent prefix is no empty string to IAM: listing a whole bucket can't be put into this condition.
  const conditions = prefix === '' ? {} : { StringLike: { 's3:prefix': `${literal(prefix)}*` } };
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn], conditions }),
  );
}

/** Lets a role read objects under a prefix. */
function grantReadUnder(grantee: IGrantable, bucket: IBucket, prefix: string): void {
  grantObjects(grantee, bucket, prefix, ['s3:GetObject']);
  bucket.encryptionKey?.grantDecrypt(grantee);
}

/** Lets a role write objects under a prefix, and abort uploads that it began. */
function grantWriteUnder(grantee: IGrantable, bucket: IBucket, prefix: string): void {
  grantObjects(grantee, bucket, prefix, ['s3:PutObject', 's3:AbortMultipartUpload']);
  bucket.encryptionKey?.grantEncrypt(grantee);
}

function grantObjects(grantee: IGrantable, bucket: IBucket, prefix: string, actions: string[]): void {
  Grant.addToPrincipal({
    grantee,
    actions,
    resourceArns: [bucket.arnForObjects(`${literal(prefix)}*`)],
  });
}

/** Keys may hold what IAM reads as wildcards and variables; the escapes are IAM's own. */
function literal(prefix: string): string {
  return Token.isUnresolved(prefix) ? prefix : prefix.replace(/[*?$]/g, (character) => `\${${character}}`);
}

/** What differs from function to function. */
interface ScanFunctionOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  readonly memorySizeMb: number;
  /** The user's own module. @default the bundle of the package */
  readonly processor?: ScanProcessor | undefined;
  readonly reservedConcurrency?: number | undefined;
}

/** One function of a scan, with a role and a log group of its own. */
function scanFunction(
  scope: Construct,
  name: ScanFunctionName,
  props: SliceScanProps,
  { environment, timeout, memorySizeMb, processor, reservedConcurrency }: ScanFunctionOptions,
): LambdaFunction {
  const made = leaseholdFunction(scope, name.charAt(0).toUpperCase() + name.slice(1), {
    description: `Leasehold: ${name} of a scan`,
    bundle: name,
    own: processor && { code: processor.code, handler: `index.${name}` },
    settings: props,
    timeout,
    memorySize: memorySizeMb,
    environment,
    tracing: props.tracing,
    removalPolicy: props.removalPolicy,
    encryptionKey: props.encryptionKey,
    reservedConcurrentExecutions: reservedConcurrency,
  });
  const { role } = made;
  // Objects below the prefixes of the scan, by `grantReadUnder` and `grantWriteUnder`.
  acknowledgeWildcards(
    role!,
    /(:s3:::|\.Arn>\/)[^*]*\*$/,
    'The objects are those below one prefix; they come and go.',
  );
  acknowledgeWildcards(role!, /^kms:(ReEncrypt|GenerateDataKey)\*$/, 'Variants of one action on one key.');
  return made;
}
