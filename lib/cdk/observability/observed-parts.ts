import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { SliceScan } from '../scan/slice-scan.js';
import type { ISliceScan } from '../scan/slice-scan-base.js';
import { type ILockService, LockService } from '../service/lock-service.js';
import type { ILeaseTable } from '../table/lease-table-base.js';
import { LeaseMetrics } from './lease-metrics.js';

/** What is watched. What these constructs get later, executions that are watched for instance, is not seen. */
export interface ObservedProps {
  /** The table of leases. @default nothing of the table is shown */
  readonly leases?: ILeaseTable;
  /** Lock services, with their functions. @default none */
  readonly lockServices?: readonly ILockService[];
  /** Scans, with their functions and executions. @default none */
  readonly scans?: readonly ISliceScan[];
  /** Further functions: your own that use locks. @default none */
  readonly functions?: readonly IFunction[];
  /**
   * Further service names whose metrics are shown: those of your own functions under `observed()`, and of lock
   * services and scans that are not made here.
   *
   * @default those of the lock services and scans; `leasehold` where there are none
   */
  readonly serviceNames?: readonly string[];
}

/** The same, found and sorted. */
export interface ObservedParts {
  readonly leases: ILeaseTable | undefined;
  readonly scans: readonly ISliceScan[];
  readonly functions: readonly IFunction[];
  /** Where events go that could not be delivered. */
  readonly queues: readonly Queue[];
  /** One for each service name. */
  readonly metrics: readonly LeaseMetrics[];
}

/** Finds what is to be watched. */
export function observedParts(props: ObservedProps): ObservedParts {
  const { leases, lockServices = [], scans = [], functions = [], serviceNames = [] } = props;
  const below = [...lockServices, ...scans].flatMap((part) => part.node.findAll());
  const names = [
    ...[...lockServices, ...scans].flatMap((part) => findMetrics(part)?.serviceName ?? []),
    ...serviceNames,
  ];
  const services = names.length > 0 ? [...new Set(names)] : [undefined];
  const all = [...below.filter(isFunction), ...lockServices.map((one) => one.function), ...functions];
  return {
    leases,
    scans,
    functions: [...new Set(all)],
    queues: below.filter((one) => one instanceof Queue),
    metrics: services.map((name) => new LeaseMetrics(name)),
  };
}

function findMetrics(part: IConstruct): LeaseMetrics | undefined {
  return part instanceof LockService || part instanceof SliceScan ? part.metrics : undefined;
}

/** One that is made here; CDK's own helpers, such as those of custom resources, are no `Function`. */
function isFunction(one: IConstruct): one is LambdaFunction {
  return one instanceof LambdaFunction && one.node.defaultChild instanceof CfnFunction;
}
