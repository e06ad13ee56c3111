import { expect, test } from 'vitest';
import { isTitled } from '../../mutants/judges/title-pattern.js';

test.each([
  ['%s is a UsageError', 'a token of 0 is a UsageError'],
  ['guardPut refuses an item with %j', 'guardPut refuses an item with {"fence":"a (b)"}'],
  ['D39 %s: a proof of %s', 'D39 a stranger: a proof of another'],
  ['%i of 100 %%', '90 of 100 %'],
  ['of $name.first is refused', 'of a lock is refused'],
  ['(I2) [a|b] is *one*.', '(I2) [a|b] is *one*.'],
])('the removals’ title %j finds the test %j', (title, told) => {
  expect(isTitled(told, title)).toBe(true);
});

test.each([
  ['%s is a UsageError', 'a token of 0 is a UsageError, and nothing is sent'],
  ['a.b is one', 'acb is one'],
  ['one', 'not one'],
])('the removals’ title %j does not find the test %j', (title, told) => {
  expect(isTitled(told, title)).toBe(false);
});
