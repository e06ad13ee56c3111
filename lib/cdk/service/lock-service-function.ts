import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  Architecture,
  type FunctionProps,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledgeWildcards } from '../functions/acknowledged.js';
import { bundledFunction } from '../functions/bundle-directory.js';
import { functionRole } from '../functions/function-role.js';
import { observabilityEnvironment } from '../observability/lease-metrics.js';
import type { ILeaseTable } from '../table/lease-table-base.js';
import type { LockServiceProps } from './lock-service-props.js';

/** The end of one request, unless told otherwise. */
export const defaultServiceTimeout = Duration.seconds(10);

/** What sets one of the service's functions apart from the others. */
export interface ServiceFunctionSettings extends Partial<FunctionProps> {
  readonly description: string;
  /** What it may be asked for: what callers may, or all. */
  readonly operations: 'use' | 'operate';
}

/** One function of the lock service, from the built bundle, with a log group and a role of its own. */
export function serviceFunction(
  scope: Construct,
  id: string,
  leases: ILeaseTable,
  props: LockServiceProps,
  { operations, ...settings }: ServiceFunctionSettings,
): LambdaFunction {
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
  });
  const role = functionRole(scope, `${id}Role`, logGroup);
  if (props.tracing) acknowledgeWildcards(role, /^\*$/, 'X-Ray has no resources to name.');
  return new LambdaFunction(scope, `${id}Function`, {
    ...bundledFunction('lock-service'),
    runtime: props.runtime ?? Runtime.NODEJS_LATEST,
    architecture: props.architecture ?? Architecture.ARM_64,
    memorySize: props.memoryMb ?? 512,
    timeout: props.timeout ?? defaultServiceTimeout,
    tracing: props.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    logGroup,
    role,
    environment: {
      LEASEHOLD_TABLE: leases.tableName,
      LEASEHOLD_OPERATIONS: operations,
      ...(props.names && { LEASEHOLD_NAMES: JSON.stringify(props.names) }),
      ...(props.groups && { LEASEHOLD_GROUPS: JSON.stringify(props.groups) }),
      ...(props.maxLease && { LEASEHOLD_MAX_LEASE_MS: String(props.maxLease.toMilliseconds()) }),
      ...observabilityEnvironment(props),
    },
    ...settings,
  });
}
