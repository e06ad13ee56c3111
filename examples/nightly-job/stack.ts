import { App, Duration, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { LeaseTable } from 'leasehold/cdk';

const stack = new Stack(new App(), 'NightlyJob');
const leases = new LeaseTable(stack, 'Leases');

const job = new NodejsFunction(stack, 'Job', {
  entry: new URL('./handler.ts', import.meta.url).pathname,
  runtime: Runtime.NODEJS_LATEST,
  timeout: Duration.minutes(10),
  environment: { LEASE_TABLE: leases.tableName },
});
leases.grantUse(job, { names: ['nightly-report'] });

new Schedule(stack, 'Nightly', {
  schedule: ScheduleExpression.cron({ hour: '2', minute: '0' }),
  target: new LambdaInvoke(job, {
    input: ScheduleTargetInput.fromObject({ scheduledTime: '<aws.scheduler.scheduled-time>' }),
  }),
});
