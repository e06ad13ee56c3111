import { LeaseholdError, StoreError } from '../errors/index.js';

const throttled = 'is throttled';

/** Refused before anything was done, for reasons that pass. */
const passing: Readonly<Record<string, string>> = {
  ThrottlingException: throttled,
  ProvisionedThroughputExceededException: throttled,
  RequestLimitExceeded: throttled,
  RequestThrottled: throttled,
  LimitExceededException: throttled,
  // A guard's ConditionCheck of the lease item is under way; the SDK does not try again by itself.
  TransactionConflictException: 'is busy with a transaction on the item',
  // A strongly consistent global table: a write to the same item in another Region came first.
  ReplicatedWriteConflictException: 'is busy with a write to the item in another Region',
};

/** The store's own plain words for what will not pass by itself. */
const permanent: Readonly<Record<string, (table: string) => string>> = {
  ResourceNotFoundException: (table) => `Table "${table}" does not exist in this account and Region`,
  AccessDeniedException: (table) => `No permission to use table "${table}"`,
  UnrecognizedClientException: (table) => `The credentials for table "${table}" are not valid`,
  ExpiredTokenException: (table) => `The credentials for table "${table}" have expired`,
  InvalidSignatureException: (table) => `The credentials for table "${table}" are not valid`,
  CredentialsProviderError: (table) => `There are no credentials for table "${table}"`,
  ValidationException: (table) =>
    `Table "${table}" refused the request; does it have the partition key "name" (String) and no sort key?`,
  ItemCollectionSizeLimitExceededException: (table) => `The item is too large for table "${table}"`,
};

/** Whether the store refused a request because there were too many. */
export function isThrottling(error: unknown): boolean {
  return error instanceof Error && passing[error.name] === throttled;
}

interface ServiceError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

/**
 * The store's error as ours: whether trying again may help, and whether a write may have been applied although
 * no answer came. Errors are told apart by `name` only. Our own errors come back unchanged.
 */
export function toStoreError(
  error: unknown,
  table: string,
  lockName?: string,
  kind: 'read' | 'write' = 'write',
): Error {
  if (error instanceof LeaseholdError) return error;
  const cause: ServiceError = error instanceof Error ? error : new Error(String(error));
  const explain = permanent[cause.name];
  // A later attempt's answer says nothing about an earlier one, whose answer was lost.
  const triedBefore = kind === 'write' && (cause.$metadata?.attempts ?? 1) > 1;
  if (explain) {
    const message = `${explain(table)}: ${cause.message}`;
    return new StoreError(message, lockName, { cause, retryable: false, mayHaveApplied: triedBefore });
  }
  const obstacle = passing[cause.name];
  if (obstacle) {
    const message = `Table "${table}" ${obstacle}: ${cause.message}`;
    return new StoreError(message, lockName, { cause, retryable: true, mayHaveApplied: triedBefore });
  }
  const status = cause.$metadata?.httpStatusCode;
  const refused = status !== undefined && status >= 400 && status < 500;
  return new StoreError(`Table "${table}" could not be used: ${cause.message}`, lockName, {
    cause,
    retryable: !refused,
    mayHaveApplied: kind === 'write' && (!refused || triedBefore),
  });
}
