/** What a log may tell of an error. */
export interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly reason?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** A cause of a cause of a cause explains nothing any more. */
const maxCauses = 3;

/**
 * An error without its data: that of ours may be a holder's lease id, or what the user's work resulted in, and the
 * SDK's carries the whole response.
 */
export function loggedError(error: unknown, causesLeft = maxCauses): LoggedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, reason } = error as { readonly code?: unknown; readonly reason?: unknown };
  return {
    name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof reason === 'string' && { reason }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causesLeft > 0 && { cause: loggedError(cause, causesLeft - 1) }),
  };
}
