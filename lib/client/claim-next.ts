import { AlreadyCompletedError } from '../errors/index.js';
import type { Lease } from '../lease/index.js';
import type { TryAcquireOptions } from './acquire-options.js';
import type { ClientHost } from './client-host.js';
import { checkLockName } from './lock-name.js';

/**
 * See `LockClient.claimNext`. One write per name that is tried: the try is the write itself. A name that this
 * very process holds costs nothing, and neither do those behind the one that is got.
 */
export async function claimNext(
  locks: ClientHost,
  names: readonly string[],
  options: TryAcquireOptions,
): Promise<Lease | null> {
  // All of them before the first request: whether a call can be right must not hang on what is free.
  for (const name of names) checkLockName(name);
  for (const [tried, name] of names.entries()) {
    // The caller's own time runs out with the names that are tried: what is left has not been got.
    if (tried > 0 && (options.endsInMs?.() ?? 1) < 1) return null;
    const lease = await locks.tryAcquire(name, options).catch(nothingLeftToDo);
    if (lease) return lease;
  }
  return null;
}

/** A name whose work is finished is passed over like one that is held. */
function nothingLeftToDo(error: unknown): null {
  if (error instanceof AlreadyCompletedError) return null;
  throw error;
}
