import { checkLockName } from '../client/lock-name.js';
import { runUnder } from '../client/with-lock.js';
import { AlreadyCompletedError, LockHeldError, UsageError } from '../errors/index.js';
import type { HandedOver, Lease } from '../lease/index.js';
import type { RemainingTime } from './invocation.js';
import { InvocationEnd } from './invocation-end.js';
import {
  type Choice,
  checkLockedHandler,
  type LockedHandlerOptions,
  lockedHandlerDefaults,
} from './locked-handler-options.js';
import { locksOnce } from './locks-once.js';

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
    checkLockName(name);
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
