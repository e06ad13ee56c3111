/**
 * What a retry can mend, by the names that Step Functions sees. Whatever is missing here (a `UsageError`, a denied
 * access, a bug) fails the execution at once, with its own name and cause.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html
 */
export const transientErrors = [
  // The service, on the way to the function.
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.TooManyRequestsException',
  'Lambda.Unknown',
  // The function's process: killed, out of memory, out of time.
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  'States.Timeout',
  // Ours: DynamoDB can't be used now, or the worker lost what it held.
  'StoreError',
  'LockHeldError',
  'LockLostError',
  // S3, after the SDK's own attempts.
  'InternalError',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'TimeoutError',
] as const;
