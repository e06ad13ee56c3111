/** How a go at a workload may end when its connection, its engine or its own process was tampered with. */
const expected = new Set([
  'LockHeldError',
  'LockLostError',
  'StaleTokenError',
  'StoreError',
  // The SDK's and Node's own words for a connection that is cut, or an answer that does not come.
  'TimeoutError',
  'AbortError',
  'Error',
  'SocketError',
  'InternalServerError',
]);

/** Whether a fault explains the error: no usage error, no programming error, none that trying again would not cure. */
export function isExpected(error: unknown): error is Error {
  if (!(error instanceof Error) || !expected.has(error.name)) return false;
  return (error as Error & { readonly retryable?: boolean }).retryable !== false;
}
