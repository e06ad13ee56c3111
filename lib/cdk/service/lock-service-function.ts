import { Duration, Fn, Token } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { wholeMilliseconds, wholeText } from '../functions/known.js';
import { leaseholdFunction } from '../functions/leasehold-function.js';
import { observabilityEnvironment } from '../observability/lease-metrics.js';
import type { ILeaseTable } from '../table/lease-table-base.js';
import { tableReference } from '../table/table-reference.js';
import type { LockServiceProps } from './lock-service-props.js';

/** The end of one request, unless told otherwise. */
export const defaultServiceTimeout = Duration.seconds(10);

/** What sets one of the service's functions apart from the others. */
export interface ServiceFunctionSettings {
  readonly description: string;
  /** What it may be asked for: what callers may, or all. */
  readonly operations: 'use' | 'operate';
  readonly functionName?: string | undefined;
  readonly reservedConcurrentExecutions?: number | undefined;
  /** @default the one of the properties */
  readonly timeout?: Duration;
}

/** One function of the lock service, from the built bundle. */
export function serviceFunction(
  scope: Construct,
  id: string,
  leases: ILeaseTable,
  props: LockServiceProps,
  { operations, ...settings }: ServiceFunctionSettings,
): LambdaFunction {
  return leaseholdFunction(scope, id, {
    bundle: 'lock-service',
    settings: props,
    memorySize: props.memoryMb ?? 512,
    timeout: props.timeout ?? defaultServiceTimeout,
    tracing: props.tracing,
    removalPolicy: props.removalPolicy,
    environment: {
      LEASEHOLD_TABLE: tableReference(scope, leases),
      LEASEHOLD_OPERATIONS: operations,
      ...(props.names && { LEASEHOLD_NAMES: jsonList(props.names) }),
      ...(props.groups && { LEASEHOLD_GROUPS: jsonList(props.groups) }),
      ...(props.maxLease && {
        LEASEHOLD_MAX_LEASE_MS: wholeText(wholeMilliseconds('maxLease', props.maxLease)),
      }),
      ...observabilityEnvironment(props),
    },
    ...settings,
  });
}

/** A list as JSON. The texts of one that only deployment knows are quoted there. */
function jsonList(texts: readonly string[]): string {
  return Token.isUnresolved(texts) ? `["${Fn.join('","', [...texts])}"]` : JSON.stringify(texts);
}
