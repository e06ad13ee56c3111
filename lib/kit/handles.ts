import { checkLockName, checkPlainName } from '../client/lock-name.js';
import { refuse } from '../errors/index.js';
import { callsOf } from '../runtime/index.js';
import type { ReadWriteLock } from './read-write-lock.js';
import type { Semaphore } from './semaphore.js';

/*
 * What `LockClient` hands out at once. What it does is loaded when it is first used: whoever wants a plain lock loads
 * none of it.
 */

/** A permit is a lease of its own, and a writer takes them all: more would make neither cheap. */
const maxPermits = 100;

function checkPermits(name: string, option: string, count: number, suffix = ''): void {
  checkPlainName(name);
  if (!(Number.isInteger(count) && count >= 1 && count <= maxPermits)) {
    refuse(option, `a whole number from 1 to ${maxPermits}`, count);
  }
  // The longest of their names.
  checkLockName(`${name}${suffix}#${count - 1}`);
}

/** What is loaded then. */
interface Makers {
  semaphore(name: string, permits: number): Semaphore;
  readWriteLock(name: string, readers: number): ReadWriteLock;
}

/** @throws UsageError if the name or the number of permits can't be right */
export function semaphoreHandle(later: () => Promise<Makers>, name: string, permits: number): Semaphore {
  checkPermits(name, 'permits', permits);
  const made = async () => (await later()).semaphore(name, permits);
  return { name, permits, ...callsOf(made, ['acquire', 'tryAcquire', 'withPermit', 'inspect']) };
}

/** @throws UsageError if the name or the number of readers can't be right */
export function readWriteLockHandle(
  later: () => Promise<Makers>,
  name: string,
  readers: number,
): ReadWriteLock {
  checkPermits(name, 'readers', readers, '#r');
  const made = async () => (await later()).readWriteLock(name, readers);
  return { name, readers, ...callsOf(made, ['read', 'write', 'acquireRead', 'acquireWrite']) };
}
