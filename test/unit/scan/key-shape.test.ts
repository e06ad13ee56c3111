import { describe, expect, it } from 'vitest';
import { KeyShape, type Place } from '../../../lib/scan/steal/key-shape.js';

/** The first place of names. */
const placeOf = (...keys: readonly string[]): Place => new KeyShape(keys).place(0, 0, undefined)!;
const repeated = (...characters: readonly string[]) =>
  Array.from({ length: 40 }, (_, i) => characters[i % characters.length]!);
const characters = (place: Place) =>
  Array.from({ length: place.base }, (_, digit) => place.characterOf(digit));

describe('the characters at a place', () => {
  it.each([
    ['few digits stand for all', ['3', '7'], '0123456789'],
    ['few small letters stand for all', ['c', 'x'], 'abcdefghijklmnopqrstuvwxyz'],
    ['few capitals stand for all', ['C', 'X'], 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
    [
      'kinds stand in the order of keys',
      ['a', 'B', '5'],
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    ],
    ['a sign stands for itself', ['-', '_'], '-_'],
    ['what is seen often between two is all that there is', repeated('c', 'd', 'f'), 'cdef'],
    [
      'the first and the last of their kind are of it',
      ['0', '9', 'A', 'Z'],
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    ],
    ['hexadecimal digits', repeated(...'0123456789abcdef'), '0123456789abcdef'],
  ])('%s', (_, keys, all) => {
    expect(characters(placeOf(...keys)).join('')).toBe(all);
  });

  it('are all of their kind, unless those that were seen would be that few by a chance below one in a thousand', () => {
    const upTo8 = (count: number) => placeOf(...Array.from({ length: count }, (_, i) => String(i % 9))).base;
    // 0.9 to the power of 65 is just above, of 66 just below.
    expect([upTo8(65), upTo8(66)]).toEqual([10, 9]);
  });

  it('of a script are few of its block: nearly all of those say nothing of the rest, unless they are seen often', () => {
    const seen = (first: number, span: number, count: number) =>
      placeOf(...Array.from({ length: count }, (_, i) => String.fromCodePoint(first + (i % span)))).base;
    // Some 32 letters in a small script, 64 in a large one.
    expect([seen(0x430, 31, 150), seen(0x430, 31, 250)]).toEqual([0x80, 31]);
    expect([seen(0x4e00, 63, 300), seen(0x4e00, 63, 500)]).toEqual([0x1000, 63]);
  });

  it('are digits in their order, and back', () => {
    const place = placeOf('a', 'B', '5', '-', 'ж');
    const all = characters(place);
    expect(all.map((character) => place.digitOf(character.codePointAt(0)!))).toEqual(all.map((_, i) => i));
    expect([...all].sort((a, b) => a.codePointAt(0)! - b.codePointAt(0)!)).toEqual(all);
    expect(() => place.characterOf(place.base)).toThrow(RangeError);
  });

  it('one that is not among them counts as the next that is; one above all as the end', () => {
    const place = placeOf('5', 'x');
    expect(place.digitOf('A'.codePointAt(0)!)).toBe(place.digitOf('a'.codePointAt(0)!));
    expect(place.digitOf('!'.codePointAt(0)!)).toBe(0);
    expect(place.digitOf('~'.codePointAt(0)!)).toBe(place.base);
  });

  it('what was never seen of a kind may be there all the same, in the wider reading', () => {
    const place = placeOf(...repeated('c', 'd', 'f'));
    expect(characters(place.wide).join('')).toBe('abcdefghijklmnopqrstuvwxyz');
    const all = placeOf('c');
    expect(all.wide.base).toBe(all.base);
  });

  it('of a script are its block, in front of which some stand for scripts between', () => {
    expect(placeOf('ж').base).toBe(0x80);
    expect(placeOf('中').base).toBe(0x1000);
    // Small scripts end, and large ones begin, at U+2000.
    expect([placeOf('\u1fff').base, placeOf('\u2000').base]).toEqual([0x80, 0x1000]);
    expect([placeOf('\u007f').base, placeOf('\u0080').base]).toEqual([1, 0x80]);
    const both = placeOf('a', 'ж');
    expect(both.base).toBeGreaterThan(26 + 0x80 + 16);
    expect(both.base).toBeLessThanOrEqual(26 + 0x80 + 32);
    // Near neighbours of the lower script, and fewer farther up.
    const between = characters(both)
      .map((one) => one.codePointAt(0)!)
      .filter((point) => point > 0x7a && point < 0x400);
    const gaps = between.map((point, i) => point - (between[i - 1] ?? 0x7a));
    expect(gaps.at(-1)!).toBeGreaterThan(gaps[0]!);
    // As far apart, by ratio, as the last of them from the script above.
    const ratio = 32 / 33;
    expect((between.at(-1)! - 0x7a) / (0x400 - 0x7a) ** ratio).toBeCloseTo(1, 1);
    // Signs of one block have none between.
    expect(placeOf('-', '_').base).toBe(2);
  });
});

describe('what keys look like', () => {
  it('is told by level, by place, and by the kind of character in front', () => {
    const shape = new KeyShape(['a1/x', '1a/y']);
    expect(shape.place(0, 1, 'z')!.base).toBe(10);
    expect(shape.place(0, 1, '7')!.base).toBe(26);
    expect(shape.place(0, 1, '-')).toBeUndefined();
    expect(shape.place(0, 1, undefined)).toBeUndefined();
    expect(shape.place(0, 2, 'a')).toBeUndefined();
    expect(shape.place(1, 0, undefined)!.base).toBe(26);
    expect(shape.place(2, 0, undefined)).toBeUndefined();
  });

  it('is told by the cuts of the plan, too; names are those that work has come to, the last hundred', () => {
    const shape = new KeyShape(['a/1'], ['B/2/c']);
    expect(shape.place(0, 0, undefined)!.base).toBe(52);
    expect(shape.names(0)).toEqual(['a']);
    expect(shape.names(2)).toEqual([]);
    expect(shape.names(3)).toEqual([]);
    const many = new KeyShape(Array.from({ length: 150 }, (_, i) => `n${i}`));
    expect(many.names(0)).toHaveLength(100);
    expect(many.names(0)[0]).toBe('n50');
  });
});
