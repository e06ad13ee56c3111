/** The throw-away stack of the acceptance: all constructs, a bucket of its own, and a state machine with a section. */
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  JsonPath,
  Pass,
  StateMachine,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import {
  LeaseholdAlarms,
  LeaseholdDashboard,
  LeaseTable,
  LockedSection,
  LockService,
  SliceScan,
} from '../../lib/cdk/index.js';
import { objectPrefix } from './objects.js';

const app = new App();
const setting = (name: string): string | undefined => app.node.tryGetContext(name);
const stack = new Stack(app, setting('stack')!, { description: 'Leasehold: acceptance, to be thrown away' });
const removalPolicy = RemovalPolicy.DESTROY;

const bucket = new Bucket(stack, 'Bucket', { removalPolicy, enforceSSL: true });
const leases = new LeaseTable(stack, 'Leases', { removalPolicy, deletionProtection: false });
const common = { leases, removalPolicy, serviceName: stack.stackName };
const memoryMb = Number(setting('memoryMb') ?? 512);
const locks = new LockService(stack, 'Locks', { ...common, operators: true, memoryMb });
const scan = new SliceScan(stack, 'Scan', { ...common, bucket, prefix: objectPrefix, seats: 4, slices: 8 });

const done = new Pass(stack, 'Done', { parameters: { token: JsonPath.numberAt('$.lock.token') } });
const states = new Choice(stack, 'What to do')
  .when(
    Condition.stringEquals('$.act', 'fail'),
    new Fail(stack, 'Refused', { error: 'CardRefused', cause: 'no money' }),
  )
  .when(
    Condition.stringEquals('$.act', 'wait'),
    new Wait(stack, 'Wait', { time: WaitTime.duration(Duration.minutes(30)) }).next(done),
  )
  .otherwise(done);
const section = new LockedSection(stack, 'Section', {
  service: locks,
  name: JsonPath.stringAt('$.name'),
  states,
  waitFor: Duration.seconds(0),
  timeout: Duration.hours(1),
});
const machine = new StateMachine(stack, 'Machine', {
  definitionBody: DefinitionBody.fromChainable(section),
  timeout: Duration.hours(1),
});
locks.watchExecutions(machine);

const watched = { leases, lockServices: [locks], scans: [scan] };
const alarms = setting('alarms') === 'false' ? undefined : new LeaseholdAlarms(stack, 'Alarms', watched);
new LeaseholdDashboard(stack, 'Dashboard', { ...watched, alarms });

const outputs = {
  Bucket: bucket.bucketName,
  Table: leases.tableName,
  Service: locks.function.functionName,
  Operators: locks.operatorsFunction!.functionName,
  Machine: machine.stateMachineArn,
  Scan: scan.stateMachine.stateMachineArn,
};
for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, `${name}Output`, { value });
app.synth();
