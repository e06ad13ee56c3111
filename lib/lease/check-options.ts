import { quoted, refuse, UsageError } from '../errors/index.js';
import { numberLimit } from './lease-item.js';

/** The shortest time that anything of a name is kept: a signed request may sleep for hours in a frozen Lambda (protocol, section 2). */
export const minRetentionMs = 24 * 60 * 60 * 1000;

/** The longest lease: a year and a day, longer than any execution of a state machine. In milliseconds. */
export const maxLeaseMs = 366 * 24 * 60 * 60 * 1000;

/** @throws UsageError unless it is a finite number within the limits */
export function checkNumber(option: string, value: unknown, least: number, most = numberLimit): void {
  if (typeof value === 'number' && value >= least && value <= most) return;
  const limits = most === numberLimit ? `at least ${least}` : `from ${least} to ${most}`;
  refuse(option, `a number ${limits}`, value);
}

/** What numbers may be, at least and at most, by the option's name. */
export type Limits = Readonly<Record<string, readonly [least: number, most?: number]>>;

/**
 * Checks the numbers among the options of a call. One that is absent is right.
 *
 * @throws UsageError that names the option, its limits and its value
 */
export function checkLimits(options: object, limits: Limits): void {
  for (const [name, [least, most]] of Object.entries(limits)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) checkNumber(name, value, least, most);
  }
}

/**
 * Checks the options of a call by their names: JavaScript would take a misspelt one for an absent one. A signal, which most
 * calls take, must be one.
 *
 * @param call its name, for the message
 * @param names all that it takes
 * @param unsaid what it takes besides, from this package alone
 * @throws UsageError that names the option, and what the call takes
 */
export function checkOptions(
  call: string,
  options: unknown,
  names: readonly string[],
  unsaid: readonly string[] = [],
): void {
  const all = () => names.join(', ');
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    refuse(call, `given an object with ${all()}`, options);
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name) && !unsaid.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`${call}: has no option ${quoted(unknown)}; it takes ${all()}`);
  const { signal } = options as { readonly signal?: Partial<AbortSignal> | null };
  if (signal !== undefined && signal?.aborted === undefined) refuse('signal', 'an AbortSignal', signal);
}

/** Whether the text has a UTF-8: a lone surrogate has none, and all of them would become the same replacement character. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}
