import { describe, expect, it } from 'vitest';
import { isStorable, toJson } from '../../../lib/service/json-value.js';

/** Lists within lists. */
function nested(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

describe('a value that the service stores', () => {
  const safe = Number.MAX_SAFE_INTEGER;

  it.each([
    ...[null, true, false, '', 'ü', 0, -0, 1.5, -1.5, safe, -safe, 1e-130, -1e-130, 9.9e125 + 0.5],
    ...[[], {}, [1, [2]], { a: { b: 'c' }, d: undefined }, Object.create(null)],
    ...[nested(30, 1), nested(29, { a: 1 })],
  ])('may be %j', (value) => {
    // Beyond the safe numbers there are only whole ones.
    expect(isStorable(value)).toBe(value !== 9.9e125 + 0.5);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a function', () => {}],
    ['a large integer', 1n],
    ['half of a character', '\ud800'],
    ['a key of half a character', { '\ud800': 1 }],
    ['an empty key', { '': 1 }],
    ['a key that is a prototype to others', JSON.parse('{"__proto__": 1}')],
    ['a whole number that others round', safe + 1],
    ['a negative one', -safe - 1],
    ['what is nearer to zero than DynamoDB keeps', 9e-131],
    ['no number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a date', new Date(0)],
    ['a set', new Set([1])],
    ['bytes', new Uint8Array(1)],
    ['a hole in a list', [undefined]],
    ['any of these in a list', [1, () => {}]],
    ['any of these in an object', { a: { b: Number.NaN } }],
    ['a list too deep', nested(31, 1)],
    ['an object too deep', nested(30, { a: 1 })],
  ])('is not %s', (_, value) => {
    expect(isStorable(value)).toBe(false);
  });

  it('has at most 180,000 bytes as JSON, and 196,608 as DynamoDB counts', () => {
    expect(isStorable('x'.repeat(179_998))).toBe(true);
    expect(isStorable('x'.repeat(179_999))).toBe(false);
    expect(isStorable('ü'.repeat(90_000))).toBe(false);
    // Three bytes of JSON each, and four of DynamoDB's.
    const lists = (count: number) => Array.from({ length: count }, () => []);
    expect(isStorable(lists(49_151))).toBe(true);
    expect(isStorable(lists(49_152))).toBe(false);
  });
});

describe('a value of the table, as JSON', () => {
  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, undefined],
    ['null', null, null],
    ['text', 'a', 'a'],
    ['false', false, false],
    ['zero', 0, 0],
    ['a whole number beyond JSON’s', 12345678901234567890n, '12345678901234567890'],
    ['bytes', new Uint8Array([1, 2, 255]), 'AQL/'],
    ['a set', new Set([1, 2n]), [1, '2']],
    ['a list', [1, [new Set(['a'])], undefined], [1, [['a']], null]],
    ['an object', { a: { b: 1n }, c: undefined, d: null }, { a: { b: '1' }, d: null }],
  ])('%s', (_, stored, json) => {
    expect(toJson(stored)).toStrictEqual(json);
  });
});
