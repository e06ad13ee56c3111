export * from './client/index.js';
export * from './errors/errors.js';
export type { LeaseEvent, LeaseEvents } from './events/index.js';
export {
  type ChangeOutcome,
  type HandedOver,
  Lease,
  type LeaseItem,
  type ReleaseOutcome,
  type TakenOver,
} from './lease/index.js';
export { type Runtime, systemRuntime } from './runtime/index.js';
// The constructs have a LeaseTable, too.
export type { Condition, ItemChange, LeaseTable as LeaseTablePort, StoredItem } from './table/index.js';
