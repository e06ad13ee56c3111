import { lineName } from '../../kit/line-store.js';
import { checkKnown } from '../functions/known.js';
import { checkedPatterns, iamPattern } from './name-patterns.js';

/** What of the lock kit has items of its own, by name or by the beginning of a name with a `*` at the end. */
export interface KitScope {
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
export function kitKeys(scope: KitScope): readonly string[] {
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
