import { describe, expect, it } from 'vitest';
import { checkNumber, checkOptions, isWellFormed } from '../../../lib/lease/check-options.js';

describe('D38 an option', () => {
  it.each([[3], [3.5], [7]])('is a number within its limits, both included: %s', (value) => {
    expect(() => checkNumber('waitMs', value, 3, 7)).not.toThrow();
  });

  it.each([[2.9], [7.1], ['5'], [Number.NaN], [Number.POSITIVE_INFINITY], [null], [undefined], [5n]])(
    'is refused by its name, with its limits and what came: %s',
    (value) => {
      expect(() => checkNumber('waitMs', value, 3, 7)).toThrow(/^waitMs: must be a number from 3 to 7, got /);
    },
  );

  it('without an upper limit is as large as a number can count', () => {
    expect(() => checkNumber('waitMs', Number.MAX_SAFE_INTEGER, 0)).not.toThrow();
    expect(() => checkNumber('waitMs', -1, 0)).toThrow('waitMs: must be a number at least 0, got -1');
    expect(() => checkNumber('waitMs', 2 ** 53, 0)).toThrow('at least 0');
  });

  it('that is misspelt is refused by its name, with those that there are', () => {
    expect(() => checkOptions('acquire', { waitMs: 1 }, ['waitMs', 'signal'])).not.toThrow();
    expect(() => checkOptions('acquire', {}, ['waitMs'])).not.toThrow();
    expect(() => checkOptions('acquire', { waitms: 1 }, ['waitMs', 'signal'])).toThrow(
      /^acquire: has no option "?waitms"?; it takes waitMs, signal$/,
    );
  });

  it.each([[null], [undefined], ['waitMs'], [7], [[]]])(
    'is a field of an object, and not of %j',
    (options) => {
      expect(() => checkOptions('acquire', options, ['waitMs'])).toThrow(
        /^acquire: must be given an object with waitMs, got /,
      );
      if (typeof options === 'number') {
        expect(() => checkOptions('acquire', options, ['waitMs'])).toThrow(/got 7$/);
      }
    },
  );
});

it.each([
  ['a', true],
  ['\u{1f600}', true],
  ['', true],
  ['\ud83d', false],
  ['a\ude00b', false],
])('D12 half of a pair of surrogates is no text: row %#', (text, is) => {
  expect(isWellFormed(text)).toBe(is);
});
