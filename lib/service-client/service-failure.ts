import { StoreError, toFailure, UsageError } from '../errors/index.js';
import type { ServiceResponse } from './service-transport.js';

/** Whether a request changes something: then it may have done so although no answer came. */
export type RequestKind = 'read' | 'write';

/** An error of the way there and back, as ours. Our own come back unchanged. */
export function toTransportError(
  error: unknown,
  service: string,
  lockName: string | undefined,
  kind: RequestKind,
  answeredBefore: boolean,
): Error {
  return toFailure(error, { what: `Lock service "${service}"`, lockName, kind, answeredBefore });
}

/** The function failed instead of answering. */
export function toFunctionFailure(
  { payload }: ServiceResponse,
  service: string,
  lockName: string | undefined,
  kind: RequestKind,
) {
  const { errorType, errorMessage } = parsed(payload) as { errorType?: unknown; errorMessage?: unknown };
  const message = `Lock service "${service}" failed: ${errorType ?? 'Error'}: ${errorMessage ?? payload.slice(0, 200)}`;
  // It is not set up: no request of anybody's will be answered.
  if (errorType === 'UsageError') return new UsageError(message, lockName);
  return new StoreError(message, lockName, { retryable: true, mayHaveApplied: kind === 'write' });
}

/** What came is no answer: cut off, or of something else than a lock service. */
export function noAnswer(service: string, lockName: string | undefined, kind: RequestKind): StoreError {
  return new StoreError(`What "${service}" answered is no answer of a lock service`, lockName, {
    retryable: false,
    mayHaveApplied: kind === 'write',
  });
}

/** The JSON object, or an empty one. */
export function parsed(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
