export {
  type CreatedLeaseTable,
  type CreateLeaseTableOptions,
  createLeaseTable,
} from './create-lease-table.js';
export { type AvailableEngines, availableEngines } from './engines/available-engines.js';
export { EngineUnavailableError } from './engines/engine-unavailable-error.js';
export type { EngineCapabilities, EngineName, LocalDynamo } from './engines/local-dynamo.js';
export { type StartDynamoOptions, startDynamo } from './engines/start-dynamo.js';
export type { Fault, FaultKind, ThrottleError } from './faults/fault.js';
export type { FaultBuilder } from './faults/fault-builder.js';
export type { FaultPlan } from './faults/fault-plan.js';
export type { FaultHandle } from './faults/fault-rule.js';
export type { ObservedRequest } from './faults/http-exchange.js';
export { type MeteredClient, type MeteredClientOptions, meteredClient } from './faults/metered-client.js';
export type { MeterEntry, RequestMeter } from './faults/request-meter.js';
export type { S3Fault, S3FaultHook } from './s3/s3-fault.js';
export type { S3Operation, S3Request } from './s3/s3-request.js';
export type { S3Requests } from './s3/s3-requests.js';
export { type LocalS3, type LocalS3ClientConfig, type StartS3Options, startS3 } from './s3/start-s3.js';
export { type WalkedFile, walkDirectory } from './s3/walk-directory.js';
export { type SweepExpiredOptions, sweepExpired } from './sweep-expired.js';
