/**
 * What can happen to one HTTP attempt between the SDK and the engine.
 *
 * | kind | the engine | the caller |
 * | --- | --- | --- |
 * | `drop-request` | never sees it | connection reset |
 * | `drop-answer` | does it | connection reset |
 * | `hang` | does it only if `sent` | waits until it aborts or its own timeout ends it |
 * | `delay` | does it `beforeMs` later | gets the answer another `afterMs` later; aborts and timeouts apply |
 * | `duplicate` | does it, and once more `afterMs` after the caller's own attempt has ended | gets the first answer |
 * | `late` | does it `afterMs` later | times out at once, or hangs as above |
 * | `throttle` | never sees it | 400 with the error named |
 * | `server-error` | does it only if `applied` | 500 `InternalServerError` |
 * | `clock` | does it | sees the `Date` header moved by `offsetMs`; combines with every other kind |
 */
export type Fault =
  | { readonly kind: 'drop-request' }
  | { readonly kind: 'drop-answer' }
  | { readonly kind: 'hang'; readonly sent?: boolean }
  | { readonly kind: 'delay'; readonly beforeMs?: number; readonly afterMs?: number }
  | { readonly kind: 'duplicate'; readonly afterMs: number }
  | { readonly kind: 'late'; readonly afterMs: number; readonly caller?: 'times-out' | 'hangs' }
  | { readonly kind: 'throttle'; readonly error?: ThrottleError }
  | { readonly kind: 'server-error'; readonly applied?: boolean }
  | { readonly kind: 'clock'; readonly offsetMs: number };

/** Discriminator of {@link Fault}. */
export type FaultKind = Fault['kind'];

/** Names under which DynamoDB throttles. */
export type ThrottleError = 'ThrottlingException' | 'ProvisionedThroughputExceededException';
