import { UsageError } from '../errors/index.js';

/** A permit is a lease of its own, and a writer takes them all: more would make neither cheap. */
const maxPermits = 100;

/**
 * The names of a semaphore's permits: `partner-api#0`, `partner-api#1`, …. Names that end in `#` and digits are reserved
 * for them.
 *
 * @param option the option's name, for the message
 * @throws UsageError if the number of permits is not whole, or not from 1 to 100
 */
export function permitNames(name: string, permits: number, option = 'permits'): readonly string[] {
  if (!Number.isInteger(permits) || permits < 1 || permits > maxPermits) {
    throw new UsageError(`${option}: must be a whole number from 1 to ${maxPermits}, got ${String(permits)}`);
  }
  return Array.from({ length: permits }, (_, i) => `${name}#${i}`);
}
