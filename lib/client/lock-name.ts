import { quoted, UsageError } from '../errors/index.js';
import { isWellFormed } from '../lease/check-options.js';

/** Names are partition keys: DynamoDB takes 2,048 bytes, half of that is plenty. */
const maxNameBytes = 1024;

/**
 * Checks a lock name. Names are compared byte by byte, never normalised, joined or cut, so two different ones
 * never collide.
 *
 * @throws UsageError if it is not 1 to 1,024 bytes of UTF-8 without control characters
 */
export function checkLockName(name: string): void {
  check('Lock name', name);
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
  const parts = 'permits ("#" and digits), readers ("#r") and writers ("#w")';
  throw new UsageError(`Lock name must not end as the names of ${parts} do; got ${quoted(name)}`);
}

/**
 * Checks the name of a group, which is a key of the index.
 *
 * @throws UsageError as {@link checkLockName}
 */
export function checkGroupName(group: string): void {
  check('group', group);
}

function check(what: string, name: string): void {
  const problem = findProblem(name);
  if (problem) throw new UsageError(`${what} ${problem}; got ${quoted(name)}`);
}

function findProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return `must be a string`;
  if (name === '') return 'must not be empty';
  if (!isWellFormed(name)) return 'must be well-formed Unicode, without lone surrogates';
  if (/\p{Cc}/u.test(name)) return 'must not hold control characters';
  const bytes = Buffer.byteLength(name);
  return bytes > maxNameBytes ? `must have at most ${maxNameBytes} bytes in UTF-8, has ${bytes}` : undefined;
}
