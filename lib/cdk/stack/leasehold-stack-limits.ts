import { checkKnown } from '../functions/known.js';
import type { LeaseholdStackProps } from './leasehold-stack-props.js';

const ofTheLockService = [
  'lockNames',
  'operators',
  'functionUrl',
  'lockConcurrency',
  'watchExecutions',
] as const;
const ofTheScan = [
  'prefix',
  'outputBucketName',
  'readObjects',
  'seats',
  'slices',
  'maxConcurrency',
  'reservedConcurrency',
  'requesterPays',
  'leaseMs',
  'schedule',
] as const;

/**
 * A setting of something that is not there was a mistake, and would be seen late.
 *
 * @throws Error that names it, and what it needs
 */
export function refuseIdle(props: LeaseholdStackProps): void {
  checkKnown(props, ['keep', 'lockService', 'bucketParameter', 'dashboard', 'alarms']);
  // The lock service would name the option by its own name.
  if (props.watchExecutions?.length) checkKnown(props, ['lockNames']);
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
  if (props.alarms === false) idle(['alarmTopicArn'], 'the alarms, which were left out');
  if (outputPrefix !== undefined && outputBucketName === undefined)
    idle(['outputPrefix'], 'outputBucketName');
}
