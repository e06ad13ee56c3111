import type { LeaseholdStackProps } from '../../../lib/cdk/index.js';

/** Every option that changes what is deployed. */
export const everything: LeaseholdStackProps = {
  tableName: 'leases',
  lockNames: ['settlement/*', 'report'],
  functionUrl: true,
  watchExecutions: ['arn:aws:states:eu-central-1:000000000000:stateMachine:nightly'],
  bucketName: 'data',
  prefix: 'logs/',
  outputBucketName: 'data',
  outputPrefix: 'results/',
  readObjects: true,
  seats: 8,
  slices: 64,
  leaseMs: 20_000,
  schedule: 'rate(1 day)',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:000000000000:operators',
  tracing: true,
};
