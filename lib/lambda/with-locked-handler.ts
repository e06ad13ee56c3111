import { type AcquireOptions, LockClient, type LockClientOptions } from '../client/index.js';
import { runUnder } from '../client/with-lock.js';
import { AlreadyCompletedError, LockHeldError, UsageError } from '../errors/index.js';
import { checkNumber } from '../lease/check-options.js';
import type { HandedOver, Lease } from '../lease/index.js';
import { type Environment, InvocationEnd, type RemainingTime } from './invocation.js';

/**
 * Puts a whole Lambda handler under a lock.
 *
 * The lease ends before the invocation does, renewals and waits included, and it is given back before the answer
 * leaves: an execution environment that is frozen holds nothing. A handler that is not done by then is told by
 * `lease.signal`, a safety margin before; if it goes on all the same its lock is given back, and the invocation fails
 * with a LockLostError (`max-hold`) instead of a time-out. Lambda then keeps the process, and what the handler left
 * running in it may go on in a later invocation: under a token that what it writes to refuses, if it checks.
 *
 * @param readName the lock's name, from the event; or the lease itself, as an earlier invocation has handed it over, to go
 *   on with it (see `LockClient.resume`: there is nothing to wait for then, and `supersede` and `group` have no meaning)
 * @param handler gets the lease as a third argument. It must return a promise: callbacks can't be waited for
 * @param options.whenHeld what is answered when somebody else holds the lock. @default a LockHeldError is thrown
 * @returns an ordinary handler of two arguments. It throws the handler's own error, unchanged; LockLostError, carrying
 *   the result if there is one; LockHeldError, AlreadyCompletedError; StoreError; UsageError, also when the invocation
 *   has not enough time left to begin with
 * @throws UsageError for options that are out of their range, or a handler that streams its answer
 */
export function withLockedHandler<
  Event,
  Context extends RemainingTime,
  Result,
  Held = never,
  Completed = never,
>(
  readName: (event: Event, context: Context) => string | HandedOver,
  handler: (event: Event, context: Context, lease: Lease) => Promise<Result>,
  options: LockedHandlerOptions<Event, Context, Held, Completed> = {},
): (event: Event, context: Context) => Promise<Result | Held | Completed> {
  checkLockedHandler(readName, handler, options);
  const { locks: given, whenHeld, whenCompleted, ownerOf, ...rest } = options;
  const { marginMs, minWorkMs, waitMs, ...hold } = { ...lockedHandlerDefaults, ...rest };
  const locksOf = locksOnce(given, process.env);

  const acquire = async (event: Event, context: Context, end: InvocationEnd): Promise<Lease> => {
    const lock = readName(event, context);
    const name = isHandedOver(lock) ? lock.name : lock;
    const leftMs = end.leftMs();
    if (!(leftMs >= minWorkMs)) throw tooLate(name, leftMs, marginMs, minWorkMs);
    const locks = locksOf();
    return end.whileAsking(name, locks.context.runtime, (signal) => {
      const owner = ownerOf && { owner: ownerOf(event, context) };
      const terms = { ...hold, ...owner, endsInMs: end.leftMs, signal };
      if (isHandedOver(lock)) {
        // What is there to choose when a lock is taken has no meaning here.
        const { group: _, supersede: __, lockDelayMs: ___, ...resumed } = terms;
        return locks.resume(lock, resumed);
      }
      const longestMs = Math.max(0, end.leftMs() - minWorkMs);
      return locks.acquire(name, { ...terms, waitMs: Math.min(waitMs, longestMs) });
    });
  };

  return async (event, context) => {
    const end = new InvocationEnd(context, marginMs);
    let lease: Lease;
    try {
      lease = await acquire(event, context, end);
    } catch (error) {
      // Only of this acquire: one that the handler throws is the handler's own.
      if (error instanceof LockHeldError && isChosen(whenHeld)) return whenHeld(error, event, context);
      if (error instanceof AlreadyCompletedError && isChosen(whenCompleted))
        return whenCompleted(error, event, context);
      throw error;
    }
    const { runtime } = locksOf().context;
    const work = () => end.whileHeld(lease, runtime, promised(handler(event, context, lease), lease.name));
    return runUnder(lease, work, () => end.giveBack(lease, runtime));
  };
}

/** Whatever else it is: `resume` says what is wrong with it. */
function isHandedOver(lock: string | HandedOver): lock is HandedOver {
  return typeof lock === 'object' && lock !== null;
}

function isChosen<Failure, Event, Context, Answer>(
  choice: Choice<Failure, Event, Context, Answer> | undefined,
): choice is Exclude<Choice<Failure, Event, Context, Answer>, 'fail'> {
  return typeof choice === 'function';
}

/** A handler that answers by a callback would have returned by now, and its lock would be given back while it works. */
function promised<T>(answer: Promise<T>, name: string): Promise<T> {
  if (typeof (answer as { readonly then?: unknown } | undefined)?.then === 'function') return answer;
  throw new UsageError('handler: must be async, or return a promise; callbacks are not waited for', name);
}

function tooLate(name: string, leftMs: number, marginMs: number, minWorkMs: number): UsageError {
  return new UsageError(
    `The invocation has ${Math.round(leftMs + marginMs)} ms left; marginMs ${marginMs} + minWorkMs ${minWorkMs} ` +
      `need ${marginMs + minWorkMs}: give the function a longer time-out`,
    name,
  );
}

/**
 * The lock client, made at the first invocation and kept for all later ones of the same execution environment. Not made
 * when the module loads: an error there has no name that a state machine could match.
 *
 * @param given a client, or what one is made with; absent: what the environment says
 * @returns throws a UsageError that names the option, or the variable that is missing
 */
export function locksOnce(
  given: LockClient | LockClientOptions | undefined,
  env: Environment,
): () => LockClient {
  let made: LockClient | undefined;
  return () => {
    // Not by its class: a function may have been bundled with two copies of it.
    if (given && 'acquire' in given) return given;
    made ??= new LockClient(given ?? readOptions(env));
    return made;
  };
}

function readOptions(env: Environment): LockClientOptions {
  const table = env.LEASEHOLD_TABLE?.trim();
  const service = env.LEASEHOLD_SERVICE?.trim();
  if (!table && !service) {
    throw new UsageError(
      'locks: neither a client nor its options were given, and neither LEASEHOLD_TABLE nor LEASEHOLD_SERVICE is set',
    );
  }
  // Other addresses than AWS's are for tests.
  const endpoint = (service ? env.LEASEHOLD_LAMBDA_ENDPOINT : env.LEASEHOLD_DYNAMODB_ENDPOINT)?.trim();
  const ownerKey = env.LEASEHOLD_OWNER_KEY?.trim();
  return {
    ...(table && { table }),
    ...(service && { service }),
    ...(endpoint && { endpoint }),
    ...(ownerKey && { ownerKey }),
  };
}

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
const lockedHandlerDefaults = { marginMs: 1_000, minWorkMs: 1_000, waitMs: 0 } as const;

/** @throws UsageError for what can be seen to be wrong before any invocation */
function checkLockedHandler(
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
