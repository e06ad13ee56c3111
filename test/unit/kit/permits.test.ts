import { expect, it } from 'vitest';
import { kitPartOf, permitNames } from '../../../lib/kit/permits.js';

it.each(['api', 'a b#c', 'line\nbreak', '#r', 'api#r'])(
  'what a name is a part of can be told from it: %j',
  (of) => {
    for (const name of permitNames(of, 2)) {
      // The permits of readers are their own, whatever they are called.
      const expected =
        of.endsWith('#r') && of.length > 2 ? { role: 'reader', of: of.slice(0, -2) } : { role: 'permit', of };
      expect(kitPartOf(name)).toEqual(expected);
    }
    expect(kitPartOf(`${of}#w`)).toEqual({ role: 'writer', of });
    expect(kitPartOf(of)).toBeUndefined();
    expect(kitPartOf(`${of}#`)).toBeUndefined();
    expect(kitPartOf(`${of}#1x`)).toBeUndefined();
  },
);

it('permits are numbered from 0', () => {
  expect(permitNames('api', 3)).toEqual(['api#0', 'api#1', 'api#2']);
  expect(['#0', '#w'].map(kitPartOf)).toEqual([undefined, undefined]);
});
