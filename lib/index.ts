export * from './client/index.js';
export * from './errors/errors.js';
export type { LeaseEvent, LeaseEvents } from './events/index.js';
export {
  type HandedOver,
  Lease,
  type ReleaseOutcome,
  type TakenOver,
} from './lease/index.js';
export { type Runtime, systemRuntime } from './runtime/index.js';
