export {
  type EngineCapabilities,
  type EngineName,
  EngineUnavailableError,
  type LocalDynamo,
} from './engines/local-dynamo.js';
export {
  type AvailableEngines,
  availableEngines,
  type StartDynamoOptions,
  startDynamo,
} from './engines/start-dynamo.js';
export type { FaultBuilder, FaultPlan } from './faults/fault-plan.js';

export type { Fault, FaultHandle, FaultKind, ThrottleError } from './faults/fault-rule.js';
export type { ObservedRequest } from './faults/http-exchange.js';
export { type MeteredClient, type MeteredClientOptions, meteredClient } from './faults/metered-client.js';
export type { MeterEntry, RequestMeter } from './faults/request-meter.js';
export {
  type CreatedLeaseTable,
  type CreateLeaseTableOptions,
  createLeaseTable,
  type SweepExpiredOptions,
  sweepExpired,
} from './lease-table.js';
export type { S3Fault, S3FaultHook, S3Operation, S3Request, S3Requests } from './s3/s3-requests.js';

export { type LocalS3, type LocalS3ClientConfig, type StartS3Options, startS3 } from './s3/start-s3.js';
export { type WalkedFile, walkDirectory } from './s3/walk-directory.js';
