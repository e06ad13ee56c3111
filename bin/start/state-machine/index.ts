export type { ExecutionEnvironment } from './execution-environment.js';
export {
  type Invocation,
  type LambdaEndpoint,
  type LambdaEndpointOptions,
  type Mishap,
  startLambdaEndpoint,
} from './lambda-endpoint.js';
export type { Invoke } from './lambda-tasks.js';
export {
  type LocalFunction,
  type LocalLambda,
  type LocalLambdaOptions,
  startLocalLambda,
} from './local-lambda.js';
export {
  type ExecutionEvent,
  type ExecutionOutcome,
  type RunStateMachineOptions,
  runStateMachine,
} from './run-state-machine.js';
export type { Json, StateMachineDefinition } from './state-definition.js';
export { synthesizedStateMachine } from './synthesized-state-machine.js';
