import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScanProcessor, SliceScan } from 'leasehold/cdk';

const app = new App();
const stack = new Stack(app, 'ParquetInventory');
const bucketName = app.node.tryGetContext('bucketName') ?? 'my-data';

const scan = new SliceScan(stack, 'Scan', {
  bucket: Bucket.fromBucketName(stack, 'Bucket', bucketName),
  output: { bucket: new Bucket(stack, 'Output'), prefix: 'inventory' },
  seats: 32,
  processor: ScanProcessor.fromEntry(new URL('./handlers.ts', import.meta.url).pathname),
});
new CfnOutput(stack, 'StateMachine', { value: scan.stateMachine.stateMachineArn });
