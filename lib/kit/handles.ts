import { checkLockName, checkPlainName } from '../client/lock-name.js';
import { refuse } from '../errors/index.js';
import { callsOf } from '../runtime/index.js';
import type { ReadWriteLock } from './read-write-lock.js';
import type { Semaphore } from './semaphore.js';

/** A permit is a lease of its own, and a writer takes them all: more would make neither cheap. */
const maxPermits = 100;

/** What is handed out, by the name of what makes it. */
interface Handles {
  readonly semaphore: Semaphore;
  readonly readWriteLock: ReadWriteLock;
}

/** What is loaded with the first call. */
type Makers = { readonly [Kind in keyof Handles]: (name: string, count: number) => Handles[Kind] };

/**
 * What `LockClient` hands out at once. What it does is loaded when it is first used: whoever wants a plain lock loads none
 * of it.
 *
 * @param counted how many permits or readers there are, by the option's name
 * @param calls what can be asked of it
 * @param suffix of the leases' names
 * @throws UsageError if the name or the number can't be right
 */
export function handleOf<Kind extends keyof Handles>(
  later: () => Promise<Makers>,
  kind: Kind,
  name: string,
  counted: Readonly<Record<string, number | undefined>>,
  calls: readonly (keyof Handles[Kind] & string)[],
  suffix = '',
): Handles[Kind] {
  checkPlainName(name);
  const [[option, count]] = Object.entries(counted) as [[string, number]];
  if (!(Number.isInteger(count) && count >= 1 && count <= maxPermits)) {
    refuse(option, `a whole number from 1 to ${maxPermits}`, count);
  }
  // The longest of their names.
  checkLockName(`${name}${suffix}#${count - 1}`);
  const made = async () => (await later())[kind](name, count);
  return { ...callsOf(made, calls), name, ...counted } as unknown as Handles[Kind];
}
