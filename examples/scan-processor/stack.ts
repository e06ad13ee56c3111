import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScanProcessor, SliceScan } from 'leasehold/cdk';

const app = new App();
const stack = new Stack(app, 'LineCount');
const bucketName = app.node.tryGetContext('bucketName') ?? 'my-logs';

const scan = new SliceScan(stack, 'Scan', {
  bucket: Bucket.fromBucketName(stack, 'Bucket', bucketName),
  prefix: 'logs/',
  seats: 32,
  readObjects: true,
  processor: ScanProcessor.fromEntry(new URL('./handlers.ts', import.meta.url).pathname),
});
new CfnOutput(stack, 'StateMachine', { value: scan.stateMachine.stateMachineArn });
