import { refuse } from '../errors/index.js';
import { isWellFormed } from '../lease/check-options.js';

/** Names are partition keys: DynamoDB takes 2,048 bytes, half of that is plenty. */
const maxNameBytes = 1024;

/**
 * Checks a lock name. Names are compared byte by byte, never normalised, joined or cut, so two different ones
 * never collide.
 *
 * @param what how the message calls it
 * @throws UsageError if it is not 1 to 1,024 bytes of UTF-8 without control characters
 */
export function checkLockName(name: string, what = 'Lock name'): void {
  const isRight =
    typeof name === 'string' &&
    isWellFormed(name) &&
    /^\P{Cc}+$/u.test(name) &&
    Buffer.byteLength(name) <= maxNameBytes;
  if (!isRight)
    refuse(what, `1 to ${maxNameBytes} bytes of well-formed UTF-8 without control characters`, name);
}

/** Leases that the lock kit makes itself: permits, the writers' gate, and the readers (kit page, sections 1 and 6). */
const reserved = /#(\d+|[rw])$/;

/**
 * Checks the name of a lock that somebody wants by itself. Who looks at, breaks or goes on with a lease may name any.
 *
 * @throws UsageError as {@link checkLockName}, and for a name that is reserved for a part of something larger
 */
export function checkPlainName(name: string): void {
  checkLockName(name);
  if (!reserved.test(name)) return;
  refuse('Lock name', 'none that ends as "#1", "#r" or "#w", those of permits, readers and writers', name);
}

/**
 * Checks the name of a group, which is a key of the index.
 *
 * @throws UsageError as {@link checkLockName}
 */
export function checkGroupName(group: string): void {
  checkLockName(group, 'group');
}
