import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Alphabet, findMiddle, measureWidth, sharedLength } from '../../../lib/scan/keys/key-middle.js';
import {
  compareKeys,
  isLegalCut,
  isWithin,
  laterKey,
  maxKeyBytes,
  separatingCut,
} from '../../../lib/scan/keys/key-order.js';

import { checkProperty } from '../../support/property.js';
import { inByteOrder } from '../../support/scan/listed-keys.js';

/** Units of all kinds, also halves of pairs, and few enough of them that strings share beginnings. */
const units = fc.constantFrom(
  'a',
  'b',
  '\u0000',
  '%',
  '\u007f',
  '\u00e9',
  '\ud7ff',
  '\ue000',
  '\ufffd',
  '\uffff',
  '\ud83d',
  '\ude00',
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
);
const anyString = fc.oneof(
  fc.array(units, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);
const wellFormed = anyString.map((text) => Buffer.from(text).toString());

describe('the order of keys', () => {
  it('is that of their UTF-8 bytes, whatever the strings', () => {
    checkProperty(
      fc.property(anyString, anyString, (a, b) => {
        expect(compareKeys(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it("is not JavaScript's own above U+FFFF", () => {
    expect('\u{1f600}' < '\uffee').toBe(true);
    expect(compareKeys('\u{1f600}', '\uffee')).toBe(1);
  });

  it.each(['\ud800', '\udbff', '\udc00', '\udfff'])(
    'takes half of a pair, %j, for the replacement character',
    (half) => {
      expect(compareKeys(`a${half}b`, 'a\ufffdb')).toBe(0);
      expect(compareKeys(`a${half}b`, 'a\ufffdc')).toBe(-1);
      expect(compareKeys(`a${half}`, 'a\ufffc')).toBe(1);
    },
  );

  it('puts a key before those that it begins', () => {
    expect(compareKeys('', '')).toBe(0);
    expect(compareKeys('', '\u0000')).toBe(-1);
    expect(compareKeys('ab', 'a')).toBe(1);
  });

  it('puts every key into exactly one of the slices that any cuts make (C45)', () => {
    checkProperty(
      fc.property(fc.uniqueArray(wellFormed, { maxLength: 6 }), wellFormed, (cuts, key) => {
        const sorted = inByteOrder(cuts);
        const bounds = [undefined, ...sorted, undefined];
        const owners = bounds.slice(1).filter((hi, index) => isWithin(key, bounds[index], hi));
        expect(owners).toHaveLength(1);
        // A key equal to a cut belongs to the left.
        if (sorted.includes(key)) expect(owners).toEqual([key]);
      }),
    );
  });

  it('knows the later of two keys', () => {
    expect(laterKey(undefined, undefined)).toBeUndefined();
    expect(laterKey('a', undefined)).toBe('a');
    expect(laterKey(undefined, 'a')).toBe('a');
    expect(laterKey('\uffee', '\u{1f600}')).toBe('\u{1f600}');
    expect(laterKey('\u{1f600}', '\uffee')).toBe('\u{1f600}');
  });
});

describe('cuts', () => {
  it.each([
    '',
    'a\u0000',
    'a\n',
    'a%',
    'a\ud83d',
    'a\uffff',
    '\ufdd0',
    '\u{1fffe}',
    'x'.repeat(maxKeyBytes + 1),
  ])('refuses to invent %j', (cut) => {
    expect(isLegalCut(cut, '')).toBe(false);
  });

  it("does not judge the user's own prefix", () => {
    expect(isLegalCut('100%/a', '100%/')).toBe(true);
    expect(isLegalCut('100%/', '100%/')).toBe(false);
  });

  it('may have 1,024 bytes, the prefix included, and no more', () => {
    expect(isLegalCut('é'.repeat(512), '')).toBe(true);
    expect(isLegalCut(`${'é'.repeat(512)}a`, 'é')).toBe(false);
  });

  it('separate what lies before from the key, with the shortest legal beginning of it', () => {
    checkProperty(
      fc.property(wellFormed, wellFormed, (one, other) => {
        fc.pre(compareKeys(one, other) !== 0);
        const [before, key] = compareKeys(one, other) < 0 ? [one, other] : [other, one];
        const cut = separatingCut(before, key, '');
        expect(compareKeys(before, cut)).toBeLessThanOrEqual(0);
        expect(compareKeys(cut, key)).toBe(-1);
        expect(Buffer.from(cut).toString()).toBe(cut);
        if (cut === before) return;
        expect(isLegalCut(cut, '')).toBe(true);
        const shorter = [...cut].slice(0, -1).join('');
        if (shorter !== '') expect(compareKeys(shorter, before)).toBe(-1);
      }),
    );
    expect(separatingCut('2024/01/31', '2024/02/01', '')).toBe('2024/02');
    expect(separatingCut('a', 'ab', '')).toBe('a');
    expect(separatingCut('a', 'abc', '')).toBe('a');
    expect(separatingCut('p%/a', 'p%/bc', 'p%/')).toBe('p%/b');
    // What separates the two may not be sent.
    expect(separatingCut('a', 'b%c', 'x')).toBe('b');
    expect(separatingCut('a', '%', '')).toBe('a');
    expect(separatingCut('!', '%c', '')).toBe('!');
    // Half of a pair would be no character.
    expect(separatingCut('a\u{1f600}', 'a\u{1f601}x', '')).toBe('a\u{1f601}');
  });

  it('never splits a surrogate pair in what two keys share', () => {
    expect(sharedLength('a\u{1f600}', 'a\u{1f601}')).toBe(1);
    expect(sharedLength('a\u{1f600}b', 'a\u{1f600}c')).toBe(3);
  });
});

describe('the middle of two keys', () => {
  const alphabet = new Alphabet();
  alphabet.add('0123456789abcdef');

  it('is legal and lies between them, whatever they are', () => {
    checkProperty(
      fc.property(wellFormed, wellFormed, fc.array(wellFormed, { maxLength: 3 }), (one, other, seen) => {
        fc.pre(compareKeys(one, other) !== 0);
        const [low, high] = compareKeys(one, other) < 0 ? [one, other] : [other, one];
        const some = new Alphabet();
        for (const key of seen) some.add(key);
        const stem = low.slice(0, sharedLength(low, high));
        const middle = findMiddle({ low, high, stem }, some, '');
        if (middle === undefined) return;
        expect(compareKeys(low, middle)).toBeLessThanOrEqual(0);
        expect(compareKeys(middle, high)).toBe(-1);
        expect(isLegalCut(middle, '')).toBe(true);
      }),
    );
  });

  it('is in the middle of the characters seen', () => {
    expect(findMiddle({ low: 'x/0', high: 'x/f', stem: 'x/' }, alphabet, 'x/')).toBe('x/7');
    expect(findMiddle({ low: 'x/10', high: 'x/2', stem: 'x/' }, alphabet, 'x/')).toBe('x/18');
    expect(findMiddle({ low: 'x/0', high: undefined, stem: 'x/' }, alphabet, 'x/')).toMatch(/^x\/[78]$/);
  });

  it('does not exist between neighbours without room', () => {
    expect(findMiddle({ low: 'a', high: 'a\u0001', stem: 'a' }, alphabet, '')).toBeUndefined();
    expect(findMiddle({ low: 'a', high: 'b', stem: '' }, new Alphabet(), '')).toBeUndefined();
  });

  it('may be the lower bound itself, never the upper', () => {
    const one = new Alphabet();
    one.add('a');
    expect(findMiddle({ low: 'a', high: undefined, stem: '' }, one, '')).toBe('a');
    expect(findMiddle({ low: '', high: '0', stem: '' }, alphabet, '')).toBeUndefined();
  });

  it('is looked for where the bounds differ, however far behind', () => {
    expect(findMiddle({ low: 'x/aaaaaaaa0', high: 'x/aaaaaaaa4', stem: 'x/' }, alphabet, '')).toBe(
      'x/aaaaaaaa2',
    );
  });

  it('halves the width', () => {
    const range = { low: 'x/0', high: 'x/f', stem: 'x/' };
    const half = measureWidth({ ...range, high: 'x/7' }, alphabet);
    expect(half / measureWidth(range, alphabet)).toBeCloseTo(0.5, 1);
    const upper = measureWidth({ ...range, low: 'x/7' }, alphabet);
    expect(half + upper).toBeCloseTo(measureWidth(range, alphabet), 9);
    expect(measureWidth({ ...range, low: 'x/f', high: 'x/0' }, alphabet)).toBe(0);
  });
});
