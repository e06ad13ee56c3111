import { checkLockName, checkPlainName } from '../client/lock-name.js';
import { callsOf } from '../runtime/index.js';
import { permitNames } from './permits.js';
import type { ReadWriteLock } from './read-write-lock.js';
import type { Semaphore } from './semaphore.js';

/*
 * What `LockClient` hands out at once. What it does is loaded when it is first used: whoever wants a plain lock loads
 * none of it.
 */

/** What is loaded then. */
interface Makers {
  semaphore(name: string, permits: number): Semaphore;
  readWriteLock(name: string, readers: number): ReadWriteLock;
}

/** @throws UsageError if the name or the number of permits can't be right */
export function semaphoreHandle(later: () => Promise<Makers>, name: string, permits: number): Semaphore {
  checkPlainName(name);
  for (const one of permitNames(name, permits)) checkLockName(one);
  const made = async () => (await later()).semaphore(name, permits);
  return { name, permits, ...callsOf(made, ['acquire', 'tryAcquire', 'withPermit', 'inspect']) };
}

/** @throws UsageError if the name or the number of readers can't be right */
export function readWriteLockHandle(
  later: () => Promise<Makers>,
  name: string,
  readers: number,
): ReadWriteLock {
  checkPlainName(name);
  for (const one of permitNames(`${name}#r`, readers, 'readers')) checkLockName(one);
  const made = async () => (await later()).readWriteLock(name, readers);
  return { name, readers, ...callsOf(made, ['read', 'write', 'acquireRead', 'acquireWrite']) };
}
