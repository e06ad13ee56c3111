import { refuse } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';

/** What calls of a scan are given beside numbers and names: whether it is that, and how a message says it. */
const parts: Readonly<Record<string, readonly [is: (value: Part) => boolean, words: string]>> = {
  locks: [(locks) => locks.context?.table !== undefined, 'a LockClient of a table'],
  s3: [hasAll('send'), 'an S3Client'],
  signal: [(signal) => signal.aborted !== undefined, 'an AbortSignal'],
  failed: [(failed) => typeof failed === 'function', 'a function'],
  processor: [hasAll('empty', 'process', 'merge'), 'a processor, with empty, process and merge'],
};

/** Anything but `undefined` and `null`. */
type Part = Readonly<Record<string, { readonly table?: unknown } | undefined>>;

function hasAll(...methods: readonly string[]): (value: Part) => boolean {
  return (value) => methods.every((method) => typeof value[method] === 'function');
}

/**
 * Checks what a call of the scan is given: a misspelt option would be taken for an absent one, and a part that is missing
 * would fail somewhere within.
 *
 * @param call its name, for the message
 * @param options what it was given
 * @param takes all that it takes, by name; `true`: it must be there
 * @throws UsageError that names the call or the option
 */
export function checkCall(call: string, options: unknown, takes: Readonly<Record<string, boolean>>): void {
  checkOptions(call, options, Object.keys(takes));
  const given = options as Readonly<Record<string, Part | null | undefined>>;
  for (const [name, [is, words]] of Object.entries(parts)) {
    const value = given[name];
    if (takes[name] === undefined || (value === undefined && !takes[name])) continue;
    if (value === undefined || value === null || !is(value)) refuse(name, words, value);
  }
}
