import { checkLockName } from '../client/lock-name.js';
import { callsOf } from '../runtime/index.js';
import type { LockHost } from './lock-host.js';
import { permitNames } from './permits.js';
import type { ReadWriteLock } from './read-write-lock.js';
import type { Semaphore } from './semaphore.js';

/*
 * What `LockClient` hands out at once. What it does is loaded when it is first used: whoever wants a plain lock loads
 * none of it.
 */

/** @throws UsageError if the name or the number of permits can't be right */
export function semaphoreHandle(host: LockHost, name: string, permits: number): Semaphore {
  for (const permit of permitNames(name, permits)) checkLockName(permit);
  const later = async () => (await import('./semaphore.js')).makeSemaphore(host, name, permits);
  return { name, permits, ...callsOf(later, ['acquire', 'tryAcquire', 'withPermit', 'inspect']) };
}

/** @throws UsageError if the name or the number of readers can't be right */
export function readWriteLockHandle(host: LockHost, name: string, readers: number): ReadWriteLock {
  for (const permit of permitNames(`${name}#r`, readers, 'readers')) checkLockName(permit);
  const later = async () => (await import('./read-write-lock.js')).makeReadWriteLock(host, name, readers);
  return { name, readers, ...callsOf(later, ['read', 'write', 'acquireRead', 'acquireWrite']) };
}
