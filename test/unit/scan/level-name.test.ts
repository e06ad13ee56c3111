import { describe, expect, it } from 'vitest';
import { KeyShape } from '../../../lib/scan/steal/key-shape.js';
import { LevelName } from '../../../lib/scan/steal/level-name.js';
import { Random } from '../../simulation/world/random.js';

const random = new Random(5);
const numbers = Array.from({ length: 60 }, () => String(random.whole(0, 9_999)).padStart(4, '0'));
const shape = new KeyShape(numbers);
const named = (name: string, reference?: number) => new LevelName(name, 0, shape, reference);
const four = (value: number) => String(value).padStart(4, '0');

describe('a name as a number', () => {
  it('has as many as its places can say, and goes up by one', () => {
    expect(named('0417').total).toBe(10_000);
    expect(named('0417').unit).toBe(1);
    // Counted in hundreds.
    expect(named('0417', 1).total).toBe(100);
    expect(named('0417', 1).unit).toBeCloseTo(0.01);
    expect(named('04').unit).toBe(1);
    expect(named('').unit).toBe(1);
  });

  it('is so far from another as numbers are, and so far from the end', () => {
    for (const [from, to] of [
      [100, 300],
      [300, 100],
      [0, 9_999],
      [4_096, 4_096],
    ] as const) {
      expect(named(four(from)).widthTo(four(to))).toBe(to - from);
      expect(named(four(from)).widthTo(undefined)).toBe(10_000 - from);
    }
    expect(named('0100', 1).widthTo('0300')).toBeCloseTo(2);
    // What was never seen to stand anywhere counts as nothing.
    expect(named('0100-').widthTo('0100')).toBe(0);
    expect(named('0100').widthTo('0100zz')).toBe(0);
    // A beginning is as far as its first continuation.
    expect(named('0100').widthTo('03')).toBe(200);
  });

  it('names what lies so far ahead of it, to a hundredth, and nothing beyond the end', () => {
    for (const from of [0, 120, 1_234, 8_110]) {
      for (const ahead of [1, 7, 60, 500, 999, 1_000]) {
        const name = named(four(from)).ahead(ahead)!;
        const width = named(four(from)).widthTo(name);
        expect(Math.abs(width - ahead)).toBeLessThanOrEqual(ahead / 100);
        expect(name > four(from)).toBe(true);
      }
      expect(named(four(from)).ahead(11_000 - from)).toBeUndefined();
    }
    expect(named('9998').ahead(1)).toBe('9999');
    // Finer than its places can say.
    expect(named('0100').ahead(0.001)).toBeUndefined();
  });

  it('is cut short two places behind the one at which it differs', () => {
    expect(named('0100').ahead(2_000)).toBe('210');
    expect(named('0123').ahead(300)).toBe('0423');
  });
});

describe('where names may go on beyond all that were seen', () => {
  const folder = (...names: readonly string[]) => {
    const own = new KeyShape(names);
    return (name: string) => new LevelName(name, 0, own).growingPlace;
  };
  const upTo = (last: number, prefix: string, places: number) =>
    Array.from({ length: last + 1 }, (_, i) => prefix + String(i).padStart(places, '0'));

  it('is the first place that varies, while it has not shown all of its kind', () => {
    expect(folder(...upTo(399, 'f', 3))('f012')).toBe(1);
  });

  it('is that of two that were seen, too', () => {
    expect(folder(...Array.from({ length: 40 }, (_, i) => `-${i % 2}`))('-0')).toBe(1);
  });

  it('is the place before it, where it has', () => {
    expect(folder(...upTo(99, 'f0', 2))('f012')).toBe(1);
  });

  it('is none where both have, or nothing varies', () => {
    expect(folder(...upTo(99, '-', 2))('-12')).toBeUndefined();
    expect(folder('-', '-')('-')).toBeUndefined();
  });

  it('names go on there', () => {
    const own = new KeyShape(upTo(399, 'f', 3));
    const seen = new LevelName('f390', 0, own);
    const wide = new LevelName('f390', 0, own, undefined, 1);
    expect(seen.ahead(200)).toBeUndefined();
    expect(wide.ahead(200)).toBe('f590');
    expect(wide.total).toBe(1_000);
    expect(seen.total).toBe(400);
  });
});
