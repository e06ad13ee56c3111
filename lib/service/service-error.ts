import {
  AlreadyCompletedError,
  LeaseholdError,
  LineFullError,
  StoreError,
  UsageError,
} from '../errors/index.js';
import type { ServiceErrorBody } from './answers.js';

/** An error on its way to the answer. `name` is what a state machine matches where the request says `throw`. */
export class ServiceError extends Error {
  readonly body: ServiceErrorBody;

  constructor(body: ServiceErrorBody, options?: ErrorOptions) {
    super(body.message, options);
    this.name = body.name;
    this.body = body;
  }
}

/**
 * An error as the answer carries it.
 *
 * @returns `undefined` for what is no error of ours: a mistake in this code, which must not look like an answer
 */
export function toErrorBody(error: unknown): ServiceErrorBody | undefined {
  if (error instanceof ServiceError) return error.body;
  if (!(error instanceof LeaseholdError)) return undefined;
  const { message, lockName } = error;
  const about = { message, ...(lockName !== undefined && { lockName }) };
  if (error instanceof LineFullError) return { name: error.name, code: error.code, ...about };
  if (error instanceof UsageError) {
    return { name: error.name, code: error.code === 'NOT_ALLOWED' ? error.code : 'USAGE', ...about };
  }
  if (error instanceof StoreError) {
    const { retryable, mayHaveApplied } = error;
    return { name: error.name, code: error.code, ...about, retryable, mayHaveApplied };
  }
  return undefined;
}

/** The words that the client's own error would have. */
export function completedMessage(name: string, completedAt: number): string {
  return new AlreadyCompletedError(name, undefined, completedAt).message;
}
