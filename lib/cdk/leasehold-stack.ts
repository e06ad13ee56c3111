import { CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { LeaseTable } from './lease-table.js';
import type { LeaseholdStackProps } from './leasehold-stack-props.js';
import { LockService } from './lock-service.js';
import { SliceScan } from './slice-scan.js';
import type { ScanOutput } from './slice-scan-props.js';

/**
 * All of it in one stack, ready to deploy: the table of leases, the lock service, one scan if there is a bucket to
 * scan, and a dashboard and alarms over them.
 */
export class LeaseholdStack extends Stack {
  /** The table of leases. */
  readonly leases: LeaseTable;
  /** The lock service, unless it was left out. */
  readonly lockService: LockService | undefined;
  /** The scan, if there is a bucket. */
  readonly scan: SliceScan | undefined;

  /** @throws Error for a property that can't be right, or that counts for nothing beside the others */
  constructor(scope: Construct, id: string, props: LeaseholdStackProps = {}) {
    super(scope, id, props);
    refuseIdle(props);
    const keep = props.keep ?? true;
    const removalPolicy = keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.leases = new LeaseTable(this, 'Leases', {
      tableName: props.tableName,
      deletionProtection: keep,
      removalPolicy,
    });
    new CfnOutput(this, 'TableName', { value: this.leases.tableName });
    const { logs, metrics, tracing } = props;
    const common = { leases: this.leases, removalPolicy, logs, metrics, tracing };
    if (props.lockService ?? true) {
      this.lockService = this.#lockService(props, common);
    }
    if (props.bucketName !== undefined || props.bucketParameter) {
      this.scan = this.#scan(props, common);
    }
  }

  #lockService(props: LeaseholdStackProps, common: CommonProps): LockService {
    const made = new LockService(this, 'Locks', {
      ...common,
      names: props.lockNames,
      operators: props.operators ?? true,
      functionUrl: props.functionUrl,
      watchExecutions: props.watchExecutions,
    });
    new CfnOutput(this, 'LockServiceName', { value: made.function.functionName });
    if (made.operatorsFunction) {
      new CfnOutput(this, 'OperatorsName', { value: made.operatorsFunction.functionName });
    }
    if (made.url) new CfnOutput(this, 'LockServiceUrl', { value: made.url.url });
    return made;
  }

  #scan(props: LeaseholdStackProps, common: CommonProps): SliceScan {
    const bucket = Bucket.fromBucketName(this, 'Bucket', props.bucketName ?? bucketParameter(this));
    const made = new SliceScan(this, 'Scan', {
      ...common,
      bucket,
      prefix: props.prefix,
      output: outputOf(this, props, bucket),
      readObjects: props.readObjects,
      seats: props.seats,
      slices: props.slices,
      lease: props.leaseMs === undefined ? undefined : Duration.millis(props.leaseMs),
      ...(props.schedule && { schedule: { expression: ScheduleExpression.expression(props.schedule) } }),
    });
    new CfnOutput(this, 'StateMachineArn', { value: made.stateMachine.stateMachineArn });
    return made;
  }
}

/** What the lock service and the scan have in common. */
interface CommonProps {
  readonly leases: LeaseTable;
  readonly removalPolicy: RemovalPolicy;
  readonly logs: boolean | undefined;
  readonly metrics: boolean | undefined;
  readonly tracing: boolean | undefined;
}

const ofTheLockService = ['lockNames', 'operators', 'functionUrl', 'watchExecutions'] as const;
const ofTheScan = [
  'prefix',
  'outputBucketName',
  'readObjects',
  'seats',
  'slices',
  'leaseMs',
  'schedule',
] as const;

/** A setting of something that is not there was a mistake, and would be seen late. */
function refuseIdle(props: LeaseholdStackProps): void {
  const { bucketName, bucketParameter, lockService, outputPrefix, outputBucketName } = props;
  if (bucketName !== undefined && bucketParameter)
    throw new Error('bucketParameter: must be left out where bucketName is given');
  const idle = (names: readonly (keyof LeaseholdStackProps)[], needs: string) => {
    const name = names.find((one) => props[one] !== undefined);
    if (name) throw new Error(`${name}: counts for nothing without ${needs}`);
  };
  if (lockService === false) idle(ofTheLockService, 'the lock service, which was left out');
  if (bucketName === undefined && !bucketParameter)
    idle(ofTheScan, 'a scan: give bucketName, or bucketParameter');
  if (outputPrefix !== undefined && outputBucketName === undefined)
    idle(['outputPrefix'], 'outputBucketName');
}

/** The template asks for it at deployment, so that it can be synthesized knowing nothing. */
function bucketParameter(scope: Construct): string {
  return new CfnParameter(scope, 'BucketName', {
    description: 'The bucket to scan',
    minLength: 3,
    maxLength: 63,
  }).valueAsString;
}

function outputOf(scope: Construct, props: LeaseholdStackProps, bucket: IBucket): ScanOutput | undefined {
  if (props.outputBucketName === undefined) return undefined;
  const same = props.outputBucketName === props.bucketName;
  return {
    bucket: same ? bucket : Bucket.fromBucketName(scope, 'OutputBucket', props.outputBucketName),
    prefix: props.outputPrefix ?? 'leasehold/',
  };
}
