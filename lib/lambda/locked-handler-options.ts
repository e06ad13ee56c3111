import type { AcquireOptions, LockClient, LockClientOptions } from '../client/index.js';
import { type AlreadyCompletedError, type LockHeldError, UsageError } from '../errors/index.js';
import { checkNumber } from '../lease/check-options.js';

/** What is answered instead, or `'fail'`: the error is thrown. */
export type Choice<Failure, Event, Context, Answer> =
  | 'fail'
  | ((error: Failure, event: Event, context: Context) => Answer | Promise<Answer>);

/** How a handler is run under a lock. All times in milliseconds. */
export interface LockedHandlerOptions<Event, Context, Held = never, Completed = never>
  extends Pick<
    AcquireOptions,
    | 'leaseMs'
    | 'renewEveryMs'
    | 'safetyMarginMs'
    | 'maxHoldMs'
    | 'minHoldMs'
    | 'lockDelayMs'
    | 'group'
    | 'supersede'
  > {
  /**
   * A client of yours, or what one is made with at the first invocation and kept for the later ones.
   *
   * @default the table that the variable LEASEHOLD_TABLE names, or the lock service that LEASEHOLD_SERVICE names
   */
  readonly locks?: LockClient | LockClientOptions;
  /**
   * How long to wait for a lock that is held; never so long that less than `minWorkMs` would be left for the work.
   *
   * @default 0: try once
   */
  readonly waitMs?: number;
  /** When the lock is held: throw the LockHeldError, or answer something else. @default 'fail' */
  readonly whenHeld?: Choice<LockHeldError, Event, Context, Held>;
  /** When the work under this name is finished for good: throw, or answer something else. @default 'fail' */
  readonly whenCompleted?: Choice<AlreadyCompletedError, Event, Context, Completed>;
  /**
   * The holder's label. With `supersede` it is the identity of the logical worker: `context.awsRequestId` stays the same
   * over Lambda's own retries of an asynchronous invocation.
   *
   * @default the client's
   */
  readonly ownerOf?: (event: Event, context: Context) => string;
  /** The lease ends this long before the invocation would: time to release it and to answer. @default 1,000 */
  readonly marginMs?: number;
  /** With less than this left for the work, the margin apart, the lock is not even tried for. @default 1,000 */
  readonly minWorkMs?: number;
}

/** The defaults of {@link LockedHandlerOptions}. */
export const lockedHandlerDefaults = { marginMs: 1_000, minWorkMs: 1_000, waitMs: 0 } as const;

/** @throws UsageError for what can be seen to be wrong before any invocation */
export function checkLockedHandler(
  readName: unknown,
  handler: unknown,
  options: Pick<
    LockedHandlerOptions<never, never, unknown, unknown>,
    'waitMs' | 'marginMs' | 'minWorkMs' | 'whenHeld' | 'whenCompleted'
  >,
): void {
  if (typeof readName !== 'function') throw new UsageError('readName: must be a function of the event');
  if (typeof handler !== 'function') throw new UsageError('handler: must be a function');
  if (isStreaming(handler)) {
    throw new UsageError(
      'handler: answers as a stream, which goes on after it has returned; use withLock inside it instead',
    );
  }
  checkNumber('waitMs', options.waitMs ?? lockedHandlerDefaults.waitMs, 0);
  checkNumber('marginMs', options.marginMs ?? lockedHandlerDefaults.marginMs, 1);
  checkNumber('minWorkMs', options.minWorkMs ?? lockedHandlerDefaults.minWorkMs, 1);
  for (const choice of ['whenHeld', 'whenCompleted'] as const) {
    const chosen = options[choice] ?? 'fail';
    if (chosen === 'fail' || typeof chosen === 'function') continue;
    throw new UsageError(`${choice}: must be 'fail' or a function, got ${JSON.stringify(chosen)}`);
  }
}

/** The mark that `awslambda.streamifyResponse` leaves for the runtime. */
function isStreaming(handler: object): boolean {
  return Symbol.for('aws.lambda.runtime.handler.streaming') in handler;
}
