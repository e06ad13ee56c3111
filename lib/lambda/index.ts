export {
  createLockService,
  type ExecutionWatch,
  type LockService,
  type LockServiceOptions,
} from '../service/index.js';
export { createLockServiceHandler } from './lock-service-handler.js';
export type { Choice, LockedHandlerOptions } from './locked-handler-options.js';
export { type InvocationKeys, type ObservedOptions, observed } from './observability/index.js';
export { createPlanHandler, type PlanEvent, type PlanInput } from './plan-handler.js';
export { createScanHandlers, type ScanHandlers } from './scan-handlers.js';
export type { SeatEnd } from './seat-end.js';
export { createSweepHandler } from './sweep-handler.js';
export type { VerdictAnswer } from './verdict-answer.js';
export { createVerifyHandler, type VerifyEvent } from './verify-handler.js';
export { withLockedHandler } from './with-locked-handler.js';
export { createWorkHandler, type RemainingTime, type WorkEvent } from './work-handler.js';
