/** What the store answers: a status, a body, and for errors the name that the SDK gives them. */
export interface StoreAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly errorName?: string;
}

/** It worked. */
export function answered(body: Record<string, unknown>): StoreAnswer {
  return { status: 200, body };
}

/** It did not, for the caller's reasons. */
export function refused(errorName: string, message: string, more: Record<string, unknown> = {}): StoreAnswer {
  return { status: 400, errorName, body: { message, ...more } };
}

/** Nothing was done: too many requests. */
export const throttled = refused('ThrottlingException', 'Rate of requests exceeds the allowed throughput');

/** The store's own trouble; whether it did what was asked nobody knows. */
export const internalError: StoreAnswer = {
  status: 500,
  errorName: 'InternalServerError',
  body: { message: 'The request processing has failed because of an unknown error' },
};
