import { LeaseholdError, StoreError } from './errors.js';

/** What can be made of an error of a store, a service, or of the way there. */
export type FailureKind =
  | 'throttled'
  | 'busy'
  | 'unavailable'
  | 'credentials'
  | 'permission'
  | 'missing'
  | 'certificate'
  | 'not-sent'
  | 'unknown'
  | 'too-large'
  | 'refused';

/** What Leasehold does about a kind of failure. */
export interface Treatment {
  /** Whether the same request may work later: it is then part of waiting, and of the retries of what a holder writes. */
  readonly retryable: boolean;
  /** Whether a write may have been applied although this was the answer. */
  readonly mayHaveApplied: boolean;
  /** In a message, after the name of what was asked. */
  readonly words: string;
  /** What to do, or to type. */
  readonly advice?: string;
}

const passing = { retryable: true, mayHaveApplied: false };
const lasting = { retryable: false, mayHaveApplied: false };

/** Each kind, with what is made of it. */
export const treatments: Readonly<Record<FailureKind, Treatment>> = {
  throttled: { ...passing, words: 'is throttled' },
  busy: { ...passing, words: 'is busy with another request for the same item' },
  unavailable: { retryable: true, mayHaveApplied: true, words: 'could not be used' },
  credentials: {
    ...lasting,
    words: 'could not be asked: the credentials are missing, expired or not valid',
    advice: 'log in again ("aws sso login"), or give a role, AWS_PROFILE or AWS_ACCESS_KEY_ID',
  },
  permission: {
    ...lasting,
    words: 'may not be used by this identity',
    advice: 'allow the action that the message names in its policy, or run "leasehold doctor"',
  },
  missing: { ...lasting, words: 'does not exist in this account and Region' },
  certificate: {
    ...lasting,
    words: 'could not be reached: its certificate is not trusted here',
    advice: 'set NODE_EXTRA_CA_CERTS to the file of the authority, as of a proxy',
  },
  'not-sent': { ...lasting, words: 'could not be asked: nothing was sent' },
  // It was not even tried, for all that can be seen: waiting does not help. Whether it was sent nobody knows.
  unknown: { retryable: false, mayHaveApplied: true, words: 'could not be asked' },
  'too-large': { ...lasting, words: 'refused the item as too large' },
  refused: { ...lasting, words: 'refused the request' },
};

/** Who raises an error of this name. */
export type ErrorSource = 'DynamoDB' | 'S3' | 'Lambda' | 'Step Functions' | 'credentials' | 'SDK' | 'Node.js';

/**
 * Every error that the SDK, the services and the providers of credentials are known to raise, by its `name`, or by its
 * `code` where Node.js raises it. What is not here goes by its HTTP status, see `findKind`. docs/reference/errors.md has the
 * same rows.
 */
export const knownErrors: readonly (readonly [kind: FailureKind, source: ErrorSource, names: string])[] = [
  [
    'throttled',
    'DynamoDB',
    'ProvisionedThroughputExceededException RequestLimitExceeded LimitExceededException ThrottlingException',
  ],
  ['throttled', 'SDK', 'Throttling ThrottledException RequestThrottled RequestThrottledException'],
  ['throttled', 'SDK', 'BandwidthLimitExceeded PriorRequestNotComplete TransactionInProgressException'],
  ['throttled', 'S3', 'SlowDown TooManyRequests'],
  ['throttled', 'Lambda', 'TooManyRequestsException EC2ThrottledException ConcurrentInvocationLimitExceeded'],
  ['throttled', 'Step Functions', 'ExecutionLimitExceeded'],
  [
    'busy',
    'DynamoDB',
    'TransactionConflictException ReplicatedWriteConflictException ResourceInUseException',
  ],
  ['busy', 'S3', 'OperationAborted ConditionalRequestConflict'],
  [
    'busy',
    'Lambda',
    'ResourceConflictException ResourceNotReadyException SnapStartNotReadyException SnapStartTimeoutException',
  ],
  ['unavailable', 'DynamoDB', 'InternalServerError InternalServerErrorException ServiceUnavailable'],
  ['unavailable', 'S3', 'InternalError RequestTimeout'],
  [
    'unavailable',
    'Lambda',
    'ServiceException EC2UnexpectedException EFSMountTimeoutException EFSIOException EFSMountConnectivityException ENILimitReachedException SubnetIPAddressLimitReachedException SnapStartException',
  ],
  ['unavailable', 'SDK', 'TimeoutError RequestTimeoutException AbortError NetworkingError'],
  [
    'unavailable',
    'Node.js',
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EMFILE EADDRNOTAVAIL ERR_STREAM_PREMATURE_CLOSE ERR_SOCKET_CLOSED',
  ],
  [
    'unavailable',
    'Node.js',
    'UND_ERR_CONNECT_TIMEOUT UND_ERR_SOCKET UND_ERR_HEADERS_TIMEOUT HPE_INVALID_CONSTANT',
  ],
  ['credentials', 'credentials', 'CredentialsProviderError TokenProviderError ProviderError'],
  ['credentials', 'SDK', 'UnrecognizedClientException InvalidSignatureException ExpiredTokenException'],
  ['credentials', 'SDK', 'IncompleteSignature MissingAuthenticationTokenException InvalidClientTokenId'],
  [
    'credentials',
    'S3',
    'ExpiredToken InvalidAccessKeyId SignatureDoesNotMatch InvalidToken TokenRefreshRequired RequestTimeTooSkewed',
  ],
  [
    'credentials',
    'credentials',
    'InvalidIdentityToken IDPCommunicationError IDPRejectedClaim InvalidGrantException UnauthorizedException',
  ],
  ['permission', 'SDK', 'AccessDeniedException AccessDenied OptInRequired NotAuthorized'],
  ['permission', 'S3', 'Forbidden AllAccessDisabled AccountProblem'],
  ['permission', 'Lambda', 'KMSAccessDeniedException EC2AccessDeniedException'],
  ['permission', 'DynamoDB', 'InaccessibleEncryptionCredentialsException'],
  ['missing', 'DynamoDB', 'ResourceNotFoundException TableNotFoundException'],
  ['missing', 'S3', 'NoSuchBucket'],
  ['missing', 'Step Functions', 'StateMachineDoesNotExist ExecutionDoesNotExist StateMachineDeleting'],
  [
    'certificate',
    'Node.js',
    'CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  ['not-sent', 'SDK', 'EndpointError InvalidConfigurationError'],
  ['not-sent', 'Node.js', 'ERR_INVALID_URL ERR_UNESCAPED_CHARACTERS ERR_INVALID_CHAR ERR_MODULE_NOT_FOUND'],
  ['too-large', 'DynamoDB', 'ItemCollectionSizeLimitExceededException'],
  ['too-large', 'Lambda', 'RequestTooLargeException'],
  ['too-large', 'S3', 'EntityTooLarge'],
  ['refused', 'DynamoDB', 'ValidationException SerializationException UnknownOperationException'],
  [
    'refused',
    'Lambda',
    'InvalidParameterValueException InvalidRequestContentException UnsupportedMediaTypeException InvalidRuntimeException KMSDisabledException KMSInvalidStateException KMSNotFoundException RecursiveInvocationException',
  ],
  ['refused', 'Step Functions', 'InvalidArn InvalidName InvalidExecutionInput ExecutionAlreadyExists'],
  [
    'refused',
    'S3',
    'InvalidBucketName InvalidArgument PermanentRedirect AuthorizationHeaderMalformed InvalidObjectState',
  ],
];

const kinds = new Map(
  knownErrors.flatMap(([kind, , names]) => names.split(' ').map((name) => [name, kind] as const)),
);

/** An error as the SDK throws it. */
export interface SdkError extends Error {
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

/** What was thrown, as an error. */
export function toSdkError(thrown: unknown): SdkError {
  const { name, message } = (thrown ?? {}) as { name?: unknown; message?: unknown };
  // Not by its class: an error of another realm, as of a test runner's, has another one.
  return typeof name === 'string' && typeof message === 'string'
    ? (thrown as SdkError)
    : new Error(String(thrown));
}

/**
 * The kind of an error: by its name or its code; else by its HTTP status. What has neither, and was not even tried, was
 * thrown before anything was sent, as where there is no Region: waiting does not help.
 */
export function findKind({ name, code, $metadata }: SdkError): FailureKind {
  const kind = kinds.get(name) ?? kinds.get(String(code));
  const status = $metadata?.httpStatusCode;
  if (kind) return kind;
  if (status === undefined) return $metadata ? 'unavailable' : 'unknown';
  if (status === 429) return 'throttled';
  if (status === 403) return 'permission';
  return status >= 300 && status < 500 && status !== 408 ? 'refused' : 'unavailable';
}

/** What was asked, and of whom. */
export interface Asked {
  /** For messages: `Table "leases"`. */
  readonly what: string;
  /** The lock that it was about, where it was about one. */
  readonly lockName?: string | undefined;
  /** Whether the request changes something: then it may have done so although no answer came. @default "write" */
  readonly kind?: 'read' | 'write';
  /**
   * Whether requests have been answered before: credentials that were there and are away for a moment, as while they are
   * renewed, are then part of waiting.
   */
  readonly answeredBefore?: boolean;
  /** Said in place of the kind's own words and advice, where more is known. */
  readonly words?: string | undefined;
}

/**
 * An error of the SDK, or of the way there, as ours: whether trying again may help, and whether a write may have been
 * applied although no answer came. Errors are told apart by `name` only. Our own errors come back unchanged.
 */
export function toFailure(thrown: unknown, asked: Asked): LeaseholdError {
  if (thrown instanceof LeaseholdError) return thrown;
  const cause = toSdkError(thrown);
  const kind = findKind(cause);
  const treatment = treatments[kind];
  const { what, lockName, kind: request = 'write', answeredBefore = false } = asked;
  // A later attempt's answer says nothing about an earlier one, whose answer was lost.
  const triedBefore = (cause.$metadata?.attempts ?? 1) > 1;
  const advice = asked.words === undefined ? findAdvice(cause, treatment.advice) : undefined;
  const message = `${what} ${asked.words ?? treatment.words}: ${cause.message}${advice ? ` (${advice})` : ''}`;
  return new StoreError(message, lockName, {
    cause,
    retryable: treatment.retryable || (kind === 'credentials' && answeredBefore),
    mayHaveApplied: request === 'write' && (treatment.mayHaveApplied || triedBefore),
  });
}

function findAdvice({ message }: SdkError, advice: string | undefined): string | undefined {
  if (advice !== undefined) return advice;
  return /\bregion\b/i.test(message)
    ? 'give the Region: the option "region", AWS_REGION in the environment, or --region'
    : undefined;
}
