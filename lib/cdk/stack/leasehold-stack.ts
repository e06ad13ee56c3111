import { CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { LeaseholdAlarms } from '../observability/leasehold-alarms.js';
import { LeaseholdDashboard } from '../observability/leasehold-dashboard.js';
import { SliceScan } from '../scan/slice-scan.js';
import type { ScanOutput } from '../scan/slice-scan-props.js';
import { LockService } from '../service/lock-service.js';
import { LeaseTable } from '../table/lease-table.js';
import { type LeaseholdStackProps, refuseIdle } from './leasehold-stack-props.js';

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
    // What the functions count goes by the stack's name, so that two stacks of one account are told apart.
    const common = {
      leases: this.leases,
      removalPolicy,
      logs,
      metrics,
      tracing,
      serviceName: this.stackName,
    };
    if (props.lockService ?? true) {
      this.lockService = this.#lockService(props, common);
    }
    if (props.bucketName !== undefined || props.bucketParameter) {
      this.scan = this.#scan(props, common);
    }
    this.#watch(props);
  }

  /** Made last: what is made later would not be seen. */
  #watch({ alarms = true, dashboard = true, alarmTopicArn }: LeaseholdStackProps): void {
    const watched = {
      leases: this.leases,
      lockServices: this.lockService ? [this.lockService] : [],
      scans: this.scan ? [this.scan] : [],
      serviceNames: [this.stackName],
    };
    const topicArns = alarmTopicArn === undefined ? [] : [alarmTopicArn];
    const made = alarms ? new LeaseholdAlarms(this, 'Alarms', { ...watched, topicArns }) : undefined;
    if (dashboard) new LeaseholdDashboard(this, 'Dashboard', { ...watched, alarms: made });
  }

  #lockService(props: LeaseholdStackProps, common: CommonProps): LockService {
    const made = new LockService(this, 'Locks', {
      ...common,
      names: props.lockNames,
      operators: props.operators ?? true,
      functionUrl: props.functionUrl,
      reservedConcurrency: props.lockConcurrency,
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
      output: makeOutput(this, props, bucket),
      readObjects: props.readObjects,
      seats: props.seats,
      slices: props.slices,
      maxConcurrency: props.maxConcurrency ?? smallShare(props.seats),
      reservedConcurrency: props.reservedConcurrency,
      requesterPays: props.requesterPays,
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
  readonly serviceName: string;
}

/** A new account may have ten concurrent executions in all: what the scan leaves of them is for the lock service. */
const defaultShare = 8;

/** A number of seats that somebody gave is what they want at once. */
function smallShare(seats: number | undefined): number {
  return seats ?? defaultShare;
}

/** The template asks for it at deployment, so that it can be synthesized knowing nothing. */
function bucketParameter(scope: Construct): string {
  return new CfnParameter(scope, 'BucketName', {
    description: 'The bucket to scan',
    minLength: 3,
    maxLength: 63,
  }).valueAsString;
}

function makeOutput(scope: Construct, props: LeaseholdStackProps, bucket: IBucket): ScanOutput | undefined {
  if (props.outputBucketName === undefined) return undefined;
  const same = props.outputBucketName === props.bucketName;
  return {
    bucket: same ? bucket : Bucket.fromBucketName(scope, 'OutputBucket', props.outputBucketName),
    prefix: props.outputPrefix ?? 'leasehold/',
  };
}
