import { CfnOutput, CfnParameter, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { LeaseTable } from './lease-table.js';
import { SliceScan } from './slice-scan.js';
import type { ScanOutput } from './slice-scan-props.js';

/** What the stack can be told; `bin/app.ts` takes each from the CDK context of the same name. */
export interface LeaseholdStackProps extends StackProps {
  /** The name of an existing bucket to scan. @default the parameter `BucketName` of the template */
  readonly bucketName?: string;
  /** The prefix to scan. @default the whole bucket */
  readonly prefix?: string;
  /** The name of an existing bucket for large results. @default none */
  readonly outputBucketName?: string;
  /** The prefix of large results. @default leasehold/ */
  readonly outputPrefix?: string;
  /** Whether workers may read the objects. @default false */
  readonly readObjects?: boolean;
  /** How many workers. @default 16 */
  readonly seats?: number;
  /** How long a lease runs without a renewal, in milliseconds. @default 30000 */
  readonly leaseMs?: number;
}

/** The table of leases and one scan, ready to deploy. */
export class LeaseholdStack extends Stack {
  /** The table of leases. */
  readonly leases: LeaseTable;
  /** The scan. */
  readonly scan: SliceScan;

  constructor(scope: Construct, id: string, props: LeaseholdStackProps = {}) {
    super(scope, id, props);
    this.leases = new LeaseTable(this, 'Leases');
    const bucketName = props.bucketName ?? bucketParameter(this);
    const bucket = Bucket.fromBucketName(this, 'Bucket', bucketName);
    const output = outputOf(this, props, bucket);
    this.scan = new SliceScan(this, 'Scan', {
      bucket,
      leases: this.leases,
      prefix: props.prefix,
      output,
      readObjects: props.readObjects,
      seats: props.seats,
      lease: props.leaseMs === undefined ? undefined : Duration.millis(props.leaseMs),
    });
    new CfnOutput(this, 'TableName', { value: this.leases.table.tableName });
    new CfnOutput(this, 'StateMachineArn', { value: this.scan.stateMachine.stateMachineArn });
  }
}

/** Without a name the template asks for it at deployment, so that it can be synthesized knowing nothing. */
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
