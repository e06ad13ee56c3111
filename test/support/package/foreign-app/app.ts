// Somebody else's CDK app, which has the packed package as a dependency and none of this repository's tools.
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { DefinitionBody, JsonPath, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  type ILeaseTable,
  type ISliceScan,
  LeaseTable,
  type LeaseTableProps,
  LockedSection,
  LockService,
  ScanProcessor,
  SliceScan,
} from 'leasehold/cdk';

const app = new App({ outdir: process.argv[2], analyticsReporting: false });
const stack = new Stack(app, 'Foreign');

const tableProps: LeaseTableProps = { deletionProtection: true };
const leases: ILeaseTable = new LeaseTable(stack, 'Leases', tableProps);

const service = new LockService(stack, 'Locks', { names: ['settlement/*'] });

const worker = new LambdaFunction(stack, 'Worker', {
  runtime: Runtime.NODEJS_LATEST,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async () => {};'),
});
leases.grantUse(worker, { names: ['settlement/*'] });
service.grantInvoke(worker);

const machine = new StateMachine(stack, 'Settle', {
  definitionBody: DefinitionBody.fromChainable(
    new LockedSection(stack, 'Settling', {
      service,
      name: JsonPath.format('settlement/{}', JsonPath.stringAt('$.batch')),
      states: new Pass(stack, 'Settled'),
      timeout: Duration.hours(2),
    }),
  ),
});
service.watchExecutions(machine);

const bucket = Bucket.fromBucketName(stack, 'Data', 'data');
const scan: ISliceScan = new SliceScan(stack, 'Inventory', { bucket, prefix: 'logs/' });
scan.grantStartExecution(worker);
new SliceScan(stack, 'Own', {
  bucket,
  prefix: 'texts/',
  readObjects: true,
  processor: ScanProcessor.fromDirectory('processor'),
  schedule: { expression: ScheduleExpression.rate(Duration.days(1)) },
});

app.synth();
