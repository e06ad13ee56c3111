import { describe, expect, it } from 'vitest';
import { Alphabet } from '../../../lib/scan/keys/key-middle.js';

function alphabetOf(...keys: readonly string[]): Alphabet {
  const alphabet = new Alphabet();
  for (const key of keys) alphabet.add(key);
  return alphabet;
}

/** Its characters in order. */
function charactersOf(alphabet: Alphabet): string {
  return Array.from({ length: alphabet.base - 1 }, (_, digit) => alphabet.characterOf(digit + 1)).join('');
}

describe('the characters seen', () => {
  it('are none at first: the only digit is the end of the key', () => {
    expect(new Alphabet().base).toBe(1);
    expect(new Alphabet().digitOf(0x61)).toBe(0);
  });

  it('are kept once each and in order of their code points, also as more come', () => {
    const alphabet = alphabetOf('cab', '\u{1f600}a\uff5e');
    expect(charactersOf(alphabet)).toBe('abc\uff5e\u{1f600}');
    expect(alphabet.base).toBe(6);
    alphabet.add('9');
    expect(charactersOf(alphabet)).toBe('9abc\uff5e\u{1f600}');
  });

  it('are those behind the start only', () => {
    const alphabet = new Alphabet();
    alphabet.add('prefix/ab', 'prefix/'.length);
    expect(charactersOf(alphabet)).toBe('ab');
  });

  it('leave out what may not stand in a cut', () => {
    expect(charactersOf(alphabetOf('a%b\u0000\u007f\uffff\u{10ffff}\ud800c'))).toBe('abc');
  });

  it('have a digit each from 1 on; one that was never seen counts as the next lower one', () => {
    const alphabet = alphabetOf('bdf');
    expect([...'abcdefg'].map((character) => alphabet.digitOf(character.codePointAt(0)!))).toEqual([
      ...[0, 1, 1, 2, 2, 3, 3],
    ]);
  });

  it('are filled up evenly between two, the ends left out', () => {
    const alphabet = new Alphabet();
    alphabet.addBetween(1_000, 1_640);
    expect([...charactersOf(alphabet)].map((character) => character.codePointAt(0)!)).toEqual(
      Array.from({ length: 63 }, (_, part) => 1_000 + 10 * (part + 1)),
    );
  });

  it('are filled up with whole code points', () => {
    const alphabet = new Alphabet();
    alphabet.addBetween(0x4e00, 0x4e00 + 96);
    const points = [...charactersOf(alphabet)].map((character) => character.codePointAt(0)! - 0x4e00);
    expect(points).toHaveLength(63);
    expect(points.slice(0, 5)).toEqual([2, 3, 5, 6, 8]);
    expect(points.at(-1)).toBe(95);
  });
});
