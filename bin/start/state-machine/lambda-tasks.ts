import {
  allStates,
  type Json,
  type StateDefinition,
  type StateMachineDefinition,
} from './state-definition.js';

/** Invokes a function by name. */
export type Invoke = (functionName: string, event: unknown, signal?: AbortSignal) => Promise<unknown>;

/** What a task state hands to its handler, and gets back. */
export type TaskHandler = (input: Json) => Promise<Json>;

/** Step Functions' limit on a state's input and output, in bytes of UTF-8 JSON. */
const payloadLimitBytes = 262_144;

const lambdaInvoke = /^arn:[^:]+:states:::lambda:invoke$/;

/**
 * A handler for every task state, by the state's name.
 *
 * @param signal abandons the invocations that are under way and refuses new ones
 * @throws Error for a task that is not a Lambda invocation, or a state name that occurs twice (the interpreter
 *   looks handlers up by state name alone)
 */
export function lambdaTasks(
  definition: StateMachineDefinition,
  invoke: Invoke,
  signal: AbortSignal,
): Record<string, TaskHandler> {
  const handlers: Record<string, TaskHandler> = {};
  const names = new Set<string>();
  for (const [name, state] of allStates(definition)) {
    if (names.has(name)) throw new Error(`State name "${name}" occurs twice in the definition`);
    names.add(name);
    if (state.Type !== 'Task') continue;
    if (!lambdaInvoke.test(state.Resource ?? '')) {
      throw new Error(`State "${name}": only lambda:invoke runs locally, not ${state.Resource}`);
    }
    const counted = countedFields(state);
    handlers[name] = withRetryCount(counted, (input) => invokeTask(input, invoke, signal));
  }
  return handlers;
}

/** The fields of the payload that are the number of retries. */
function countedFields({ Parameters }: StateDefinition): readonly string[] {
  const { Payload } = (Parameters ?? {}) as { readonly Payload?: object };
  const paths = Object.entries(Payload ?? {}).filter(([, path]) => path === '$$.State.RetryCount');
  return paths.map(([key]) => key.replace(/\.\$$/, ''));
}

/** The interpreter says 0 to every attempt. Attempts of one retried state have the same input, and follow each other. */
function withRetryCount(fields: readonly string[], handle: TaskHandler): TaskHandler {
  if (fields.length === 0) return handle;
  const failures = new Map<string, number>();
  return async (input) => {
    const key = JSON.stringify(input);
    const retries = failures.get(key) ?? 0;
    const { Payload, ...others } = input as { readonly Payload: object };
    const counted = Object.fromEntries(fields.map((field) => [field, retries]));
    failures.set(key, retries + 1);
    const answer = await handle({ ...others, Payload: { ...Payload, ...counted } });
    failures.delete(key);
    return answer;
  };
}

async function invokeTask(input: Json, invoke: Invoke, signal: AbortSignal): Promise<Json> {
  // The interpreter goes on with a retry after an abort; this ends it, under a name that no retrier lists.
  if (signal.aborted) throw named('ExecutionAborted', 'The execution was aborted');
  const { FunctionName, Payload } = input as { FunctionName: string; Payload: Json };
  checkSize(Payload);
  const answer = ((await invoke(FunctionName, Payload, signal)) ?? null) as Json;
  checkSize(answer);
  return { Payload: answer, StatusCode: 200, ExecutedVersion: '$LATEST' };
}

function checkSize(payload: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(payload ?? null));
  if (bytes <= payloadLimitBytes) return;
  throw named('States.DataLimitExceeded', `A payload of ${bytes} bytes is over ${payloadLimitBytes}`);
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
