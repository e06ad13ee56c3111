export type { LambdaCaller, ServiceResponse, ServiceTransport } from '../service-client/service-transport.js';
export type { AcquireOptions, HoldOptions, ResumeOptions, TryAcquireOptions } from './acquire-options.js';
export { defaults, type LockClientOptions } from './client-options.js';
export type { CronSlotOptions, CronSlotOutcome, SlotRefusal } from './cron-slot.js';
export { LockClient } from './lock-client.js';
export type { LockInfo } from './lock-info.js';
export type { OnceOptions, OnceOutcome } from './once.js';
