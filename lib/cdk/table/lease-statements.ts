import { Token } from 'aws-cdk-lib';
import { checkGroupName, checkLockName } from '../../client/lock-name.js';
import { lineName } from '../../kit/line-store.js';
import { groupIndexName, pingName } from '../../table/table-names.js';
import { checkKnown } from '../functions/known.js';
import type { LockScope } from './lease-table-props.js';

/** A statement, before it is added to a grantee. */
export interface LeaseStatement {
  readonly actions: string[];
  readonly resourceArns: string[];
  readonly conditions?: Record<string, Record<string, unknown>>;
}

/** What is asked of the table's items, and whether groups are listed. */
export interface LeaseActions {
  /** By key: each action is one that names the keys of the items it touches. */
  readonly byKey: readonly string[];
  /** Added where groups may be listed: the names of a group come from the index, their items from a batch. */
  readonly byGroup?: readonly string[];
  /** Added where every name is allowed; the actions have no keys, so they can't be limited. */
  readonly wholeTable?: readonly string[];
}

/**
 * The statements of a grant. `dynamodb:LeadingKeys` are the partition keys that a request names, all of them in a
 * batch; those of a query on an index are the index's own, the group.
 *
 * @param tableArns the table's in each Region
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 * @throws Error if a name or a group is not in the form that {@link checkedPatterns} allows
 */
export function leaseStatements(
  tableArns: readonly string[],
  scope: LockScope & KitScope,
  actions: LeaseActions,
): LeaseStatement[] {
  const keys = kitKeys(scope);
  const names = checkedPatterns('names', scope.names)?.map(iamPattern) ?? (keys.length > 0 ? [] : undefined);
  const groups = checkedPatterns('groups', scope.groups);
  const lists = groups !== undefined || names === undefined;
  // All permits of a semaphore are looked at in one batch. Only deployment may know whether the names cover any; a batch
  // reads no items but those that could be read one by one.
  const batches = keys.length > 0 || Token.isUnresolved(scope.names) ? ['dynamodb:BatchGetItem'] : [];
  const all = [...actions.byKey, ...batches, ...(lists ? (actions.byGroup ?? []) : [])];
  const resourceArns = [...tableArns];
  const statements: LeaseStatement[] = [];
  if (names === undefined) {
    statements.push({ actions: [...new Set([...all, ...(actions.wholeTable ?? [])])], resourceArns });
  } else {
    statements.push(
      { actions: [...new Set(all)], resourceArns, conditions: onlyKeys([...new Set([...names, ...keys])]) },
      // The first request of a client reads this item for the time of the response; it holds nothing.
      { actions: ['dynamodb:GetItem'], resourceArns, conditions: onlyKeys([iamPattern(pingName)]) },
    );
  }
  if (lists) {
    statements.push({
      actions: ['dynamodb:Query'],
      resourceArns: tableArns.map((arn) => `${arn}/index/${groupIndexName}`),
      ...(groups && { conditions: onlyKeys(groups.map(iamPattern)) }),
    });
  }
  return statements;
}

/**
 * "All of the values" is true of no values, too: a request that names no key must not pass.
 *
 * @param patterns in IAM's own form
 */
function onlyKeys(patterns: readonly string[]): Record<string, Record<string, unknown>> {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}

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
    return (error as Error).message.replace(/^[^:]*: (.*), got .*$/s, '$1');
  }
}

/**
 * A pattern for IAM's `StringLike`: only the `*` at its end is a wildcard. What IAM reads as a wildcard or a policy
 * variable elsewhere is escaped, by IAM's own escapes.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
 */
function iamPattern(pattern: string): string {
  return Token.isUnresolved(pattern) ? pattern : pattern.replace(/[?$]/g, (character) => `\${${character}}`);
}

/** What of the lock kit has items of its own, by name or by the beginning of a name with a `*` at the end. */
interface KitScope {
  readonly semaphores?: readonly string[];
  readonly readWriteLocks?: readonly string[];
  readonly fairLocks?: readonly string[];
}

/**
 * The keys of its items, in IAM's own form: `?` is one character, and permits are numbered from 0 to 99.
 *
 * @throws Error if a name is not in the form that {@link checkedPatterns} allows, or if a list's length is known only at
 * deployment: keys are made of each name by itself
 */
function kitKeys(scope: KitScope): readonly string[] {
  checkKnown(scope, ['semaphores', 'readWriteLocks', 'fairLocks']);
  const of = (option: keyof KitScope) => (checkedPatterns(option, scope[option]) ?? []).map(iamPattern);
  return [
    ...of('semaphores').flatMap(permitsOf),
    ...of('readWriteLocks').flatMap((name) => [`${name}#w`, ...permitsOf(`${name}#r`)]),
    // A beginning covers what hangs on it.
    ...of('fairLocks').flatMap((name) => (name.endsWith('*') ? [name] : [name, lineName(name)])),
  ];
}

const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

function permitsOf(name: string): readonly string[] {
  return digits.flatMap((digit) => (digit === 0 ? [`${name}#0`] : [`${name}#${digit}`, `${name}#${digit}?`]));
}
