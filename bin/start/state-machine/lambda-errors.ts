/** An error whose `name` is what AWS Lambda reports, hence what a `Retry` of the state machine matches. */
export class LocalLambdaError extends Error {
  override readonly name: string;

  constructor(name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

/** A process that ended in mid-invocation: a crash, a kill, out of memory. */
export function exitError(requestId: string, how: string): LocalLambdaError {
  return new LocalLambdaError(
    'Runtime.ExitError',
    `RequestId: ${requestId} Error: Runtime exited with error: ${how}`,
  );
}

/** The function's time-out. */
export function timeoutError(requestId: string, afterMs: number): LocalLambdaError {
  return new LocalLambdaError(
    'Sandbox.Timedout',
    `RequestId: ${requestId} Error: Task timed out after ${(afterMs / 1000).toFixed(2)} seconds`,
  );
}

/** No environment may be added for the function. */
export function throttledError(functionName: string, limit: number): LocalLambdaError {
  return new LocalLambdaError(
    'Lambda.TooManyRequestsException',
    `Rate exceeded: maxEnvironments of "${functionName}" is ${limit}`,
  );
}

/** The local runtime was stopped, or the invocation was abandoned with it. Never retried: the name is in no list. */
export function stoppedError(): LocalLambdaError {
  return new LocalLambdaError('LocalLambdaStopped', 'The local Lambda runtime was stopped');
}
