import { StateMachine } from 'aws-local-stepfunctions';
import { type Invoke, lambdaTasks } from './lambda-tasks.js';
import { allStates, type Json, type StateMachineDefinition } from './state-definition.js';

/** Options of {@link runStateMachine}. */
export interface RunStateMachineOptions {
  /** Runs a task: gets the function's name as it stands in the definition, and the payload. */
  readonly invoke: Invoke;
  /** `$$.Execution.Name`. */
  readonly executionName: string;
  /** `$$.Execution.Id`. @default an ARN of a made-up state machine, with the execution's name */
  readonly executionArn?: string;
  /** Stops the execution; invocations that are under way get it, too. */
  readonly signal?: AbortSignal;
  /** Told every step: states entered, left, failed, retried. */
  readonly onEvent?: (event: ExecutionEvent) => void;
  /** The definition is one that was validated before, by a test of it: that takes longer than most executions. */
  readonly isKnown?: boolean;
  /** Waits and retries take this long instead of what the definition says, in milliseconds. For tests. */
  readonly pauseMs?: number;
}

/** One step of an execution, as the interpreter tells it. */
export interface ExecutionEvent {
  readonly type: string;
  readonly timestamp: number;
  readonly state?: { readonly name: string; readonly type: string };
  readonly Error?: string;
  readonly index?: number;
}

/** How an execution ended; the names are those of Step Functions. */
export type ExecutionOutcome =
  | { readonly status: 'SUCCEEDED'; readonly output: Json }
  | { readonly status: 'FAILED'; readonly error: string; readonly cause: string }
  | { readonly status: 'TIMED_OUT' };

/** Definitions that are valid, as text. To validate one takes longer than most executions of it. */
const known = new Set<string>();

/** How long an abort waits for invocations to be gone, in milliseconds. */
const abortGraceMs = 5_000;

/**
 * Runs a state machine on this machine: JSONPath mode, Lambda tasks, choices, waits, retries with backoff and
 * jitter, catchers, maps.
 *
 * What differs from Step Functions: a Distributed Map runs as an inline one (no child executions of their own, and
 * the first item that fails fails the map: `ToleratedFailure…`, `ItemReader`, `ItemBatcher` and `ResultWriter` are
 * ignored). Ignored, too: heartbeats, variables (`Assign`), JSONata. `IsPresent: false` never matches, a `ResultPath`
 * of `$` is misread (leave it out instead), a task without `TimeoutSeconds` ends after 60 s, and a task that timed out
 * is left running; `$$.State.RetryCount` is known in the fields of a payload only. The definition of this project uses none of these, but for the Distributed Map.
 *
 * @returns how it ended; a failed execution is an outcome, not an exception
 * @throws the signal's reason on abort; Error for a definition that is invalid or can't run here
 */
export async function runStateMachine(
  definition: StateMachineDefinition,
  input: Json,
  options: RunStateMachineOptions,
): Promise<ExecutionOutcome> {
  options.signal?.throwIfAborted();
  ensureWithResolvers();
  const ended = new AbortController();
  const tracked = trackedInvoke(options.invoke);
  const handlers = lambdaTasks(definition, tracked.invoke, ended.signal);
  const pauses = options.pauseMs === undefined ? {} : pauseOverrides(definition, options.pauseMs);
  const text = JSON.stringify(definition);
  const isKnown = options.isKnown || known.has(text);
  const validationOptions = isKnown ? { noValidate: true } : { checkArn: false };
  const machine = new StateMachine(definition as never, { validationOptions });
  known.add(text);
  const execution = machine.run(input as never, {
    overrides: { taskResourceLocalHandlers: handlers as never, ...pauses },
    context: {
      Execution: {
        Id: options.executionArn ?? madeUpArn(options.executionName),
        Name: options.executionName,
      },
      State: { RetryCount: 0 },
      StateMachine: {},
    },
  });
  const told = tellEvents(execution.eventLogs, options.onEvent);
  const onAbort = () => {
    ended.abort(options.signal?.reason);
    execution.abort();
  };
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return { status: 'SUCCEEDED', output: (await execution.result) as Json };
  } catch (error) {
    options.signal?.throwIfAborted();
    return toOutcome(error as Error);
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    // A failed map leaves other items' invocations behind, and the interpreter would even start those that queue.
    ended.abort();
    await tracked.settled(abortGraceMs);
    await told;
  }
}

function madeUpArn(executionName: string): string {
  return `arn:aws:states:eu-central-1:000000000000:execution:local:${executionName}`;
}

function toOutcome(error: Error): ExecutionOutcome {
  if (error.name === 'ExecutionTimeoutError') return { status: 'TIMED_OUT' };
  if (error.name !== 'ExecutionError') throw error;
  const cause = error.cause as Error;
  return { status: 'FAILED', error: cause.name, cause: cause.message };
}

/** An `invoke` that knows what is still under way. */
function trackedInvoke(invoke: Invoke): { invoke: Invoke; settled: (graceMs: number) => Promise<void> } {
  const pending = new Set<Promise<unknown>>();
  return {
    invoke(functionName, event, signal) {
      const invocation = invoke(functionName, event, signal).finally(() => pending.delete(invocation));
      pending.add(invocation);
      return invocation;
    },
    async settled(graceMs) {
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.allSettled(pending), grace]);
      clearTimeout(timer);
    },
  };
}

async function tellEvents(
  events: AsyncIterable<unknown>,
  onEvent?: (event: ExecutionEvent) => void,
): Promise<void> {
  for await (const event of events) onEvent?.(event as ExecutionEvent);
}

function pauseOverrides(definition: StateMachineDefinition, pauseMs: number) {
  const waitTimeOverrides: Record<string, number> = {};
  const retryIntervalOverrides: Record<string, number> = {};
  for (const [name, state] of allStates(definition)) {
    if (state.Type === 'Wait') waitTimeOverrides[name] = pauseMs;
    if (state.Retry) retryIntervalOverrides[name] = pauseMs;
  }
  return { waitTimeOverrides, retryIntervalOverrides };
}

interface WithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | PromiseLike<Value>) => void;
  readonly reject: (reason?: unknown) => void;
}

/**
 * The interpreter (aws-local-stepfunctions 3) calls `Promise.withResolvers`, which Node has from version 22 on;
 * this package supports Node 20. Installed only where it is missing, and only by this development module: nothing
 * that ships to users touches a global.
 *
 * @see https://tc39.es/ecma262/#sec-promise.withResolvers
 */
function ensureWithResolvers(): void {
  const global = Promise as unknown as { withResolvers?: <Value>() => WithResolvers<Value> };
  global.withResolvers ??= <Value>() => {
    let resolve!: WithResolvers<Value>['resolve'];
    let reject!: WithResolvers<Value>['reject'];
    const promise = new Promise<Value>((onValue, onReason) => {
      resolve = onValue;
      reject = onReason;
    });
    return { promise, resolve, reject };
  };
}
