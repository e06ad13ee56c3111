import { Token } from 'aws-cdk-lib';
import { checkGroupName, checkLockName } from '../../client/lock-name.js';

/** The options that are lists of patterns. */
type Patterned = 'names' | 'groups' | 'semaphores' | 'readWriteLocks' | 'fairLocks';

/**
 * Checks what a grant or a deployment is limited to: names, or beginnings of names with a `*` at the end.
 *
 * A `*` anywhere else would be a part of the name to the lock client and a wildcard to IAM, and a `*` alone would
 * be everything, which is said by leaving the list out. What is known only at deployment can't be checked here.
 *
 * @param what the option's name, for the message
 * @returns the patterns as they came; `undefined` where none were given: no limit
 * @throws Error that says what came and what is allowed
 */
export function checkedPatterns(
  what: Patterned,
  patterns: readonly string[] | undefined,
): readonly string[] | undefined {
  if (patterns === undefined || Token.isUnresolved(patterns)) return patterns;
  const allowed = `a list of ${what} such as "settlement/batch-7" or, for all that start so, "settlement/*"`;
  if (!Array.isArray(patterns) || patterns.length === 0) {
    const hint = `leave ${what} out to allow all of them`;
    throw new Error(`${what}: must be ${allowed}, got ${JSON.stringify(patterns)}; ${hint}`);
  }
  for (const pattern of patterns) {
    const problem = Token.isUnresolved(pattern) ? undefined : findProblem(what, pattern);
    if (problem)
      throw new Error(`${what}: ${problem}, got ${JSON.stringify(pattern)}; allowed is ${allowed}`);
  }
  return patterns;
}

function findProblem(what: Patterned, pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return 'must be strings';
  const start = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
  if (start.includes('*')) return 'a "*" may stand only at the end';
  if (start === '' && pattern !== '') return `"*" alone is every name; leave ${what} out for that`;
  try {
    if (what === 'groups') checkGroupName(start);
    else checkLockName(start);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/; got .*$/s, '');
  }
}

/**
 * A pattern for IAM's `StringLike`: only the `*` at its end is a wildcard. What IAM reads as a wildcard or a policy
 * variable elsewhere is escaped, by IAM's own escapes.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
 */
export function iamPattern(pattern: string): string {
  return Token.isUnresolved(pattern) ? pattern : pattern.replace(/[?$]/g, (character) => `\${${character}}`);
}
