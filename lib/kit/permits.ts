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

/** What a lease of the lock kit's own is to what it is a part of. */
export interface KitPart {
  readonly role: 'permit' | 'reader' | 'writer';
  /** The name of the semaphore, or of the readers and their writer. */
  readonly of: string;
}

/** What a name is a part of, if it is one that the kit makes itself. */
export function kitPartOf(name: string): KitPart | undefined {
  const [, of, reader, writer] = /^(.+?)(?:(#r)?#\d+|(#w))$/s.exec(name) ?? [];
  if (of === undefined) return undefined;
  if (writer) return { role: 'writer', of };
  return { role: reader ? 'reader' : 'permit', of };
}
