/** How a go at a workload may end when its connection, its engine or its own process was tampered with. */
const expected = new Set([
  'LockHeldError',
  'LockLostError',
  'StaleTokenError',
  'StoreError',
  // The SDK's own words for an answer that does not come, and the engine's for one that it could not make.
  'TimeoutError',
  'AbortError',
  'InternalServerError',
]);

/** How Node names a connection that is cut, refused, or does not come about. */
const connection = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT', 'HPE_CLOSED_CONNECTION'],
]);

/**
 * What it is that a fault explains, by name: no usage error, no programming error, none that trying again would not cure. A
 * plain `Error` is one of the connection's, by its code, or none that is expected.
 *
 * @returns the name to write down; `undefined` for what nothing explains
 */
export function findExpected(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, code, retryable } = error as Error & { readonly code?: string; readonly retryable?: boolean };
  if (retryable === false) return undefined;
  if (code !== undefined && connection.has(code)) return code;
  return expected.has(name) ? name : undefined;
}
