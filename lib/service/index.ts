export type { ServiceAnswer } from './answer.js';
export { endExecution, type FreedLocks, isStatusChange } from './execution-end.js';
export type { ExecutionState, ExecutionWatch } from './execution-watch.js';
export { isUrlEvent, overHttp, type UrlAnswer } from './function-url.js';
export {
  createLockService,
  defaultMaxLeaseMs,
  type LockServiceAnswers,
  type LockServiceOptions,
} from './lock-service.js';
export { stepFunctions } from './step-functions.js';
