import { LockLostError, refuse } from '../errors/index.js';

/** A lease, or several that are held together. */
export interface Losable extends AsyncDisposable {
  /** Why it is over although it was not ended here; `undefined` while it is not lost. */
  readonly loss: LockLostError | undefined;
}

/**
 * Runs work under a lease and gives the lease back.
 *
 * The work's own error always wins. Work that ended well under a lease that did not is a `LockLostError`
 * that carries the work's result. Work that ended well while the caller's signal aborted has ended well. A release that
 * fails is told on `leasehold:release-failed`, never thrown.
 *
 * @param giveBack ends the lease; never throws
 */
export async function runUnder<T, Held extends Losable>(
  lease: Held,
  work: (lease: Held) => Promise<T> | T,
  giveBack: () => PromiseLike<void> = () => lease[Symbol.asyncDispose](),
): Promise<T> {
  let result: T;
  try {
    result = await work(lease);
  } catch (error) {
    await giveBack();
    addLoss(error, lease.loss);
    throw error;
  }
  const lossBefore = lease.loss;
  await giveBack();
  // A lease that was broken or superseded is found out by its release at the latest.
  const loss = lossBefore ?? lease.loss;
  if (!loss) return result;
  throw new LockLostError(loss.lockName!, loss.reason, loss.token, { cause: loss, result });
}

/** Puts the loss at the end of an error's chain of causes, where there is room. */
function addLoss(error: unknown, loss: LockLostError | undefined): void {
  let last = error;
  for (let depth = 0; loss && last !== loss && last instanceof Error && depth < 16; depth++) {
    if (last.cause === undefined) {
      // Answers `false` of an error that takes no more properties.
      Reflect.defineProperty(last, 'cause', { value: loss, configurable: true, writable: true });
    }
    last = last.cause;
  }
}

/** @throws UsageError before anything is acquired for work that is none */
export function checkWork(call: string, work: unknown): void {
  if (typeof work !== 'function') refuse(call, 'given the work as a function, after the name', work);
}
