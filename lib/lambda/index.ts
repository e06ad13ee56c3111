export type { ExecutionWatch } from '../service/execution-watch.js';
export {
  createLockService,
  type LockServiceAnswers,
  type LockServiceOptions,
} from '../service/lock-service.js';
export type { Environment, RemainingTime } from './invocation.js';
export { createLockServiceHandler } from './lock-service-handler.js';
export { type InvocationKeys, type ObservedOptions, observed } from './observability/index.js';
export { createSweepHandler } from './sweep-handler.js';
export { type Choice, type LockedHandlerOptions, withLockedHandler } from './with-locked-handler.js';
