export * from './client/index.js';
export {
  type HolderInfo,
  LeaseholdError,
  LockLostError,
  type LossReason,
  StoreError,
  UsageError,
} from './errors/errors.js';
export * from './errors/refusals.js';
export type { LeaseEvent, LeaseEvents } from './events/events.js';
export {
  type HandedOver,
  Lease,
  type ReleaseOutcome,
  type TakenOver,
} from './lease/index.js';
export { type Runtime, systemRuntime } from './runtime/index.js';
