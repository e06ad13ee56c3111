import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../lib/errors/index.js';
import { measureBytes, toStorable } from '../../../lib/lease/storable.js';

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const circular: { self?: unknown } = {};
circular.self = circular;

const kept = (value: unknown) => toStorable(value, 'save', 'jobs');

describe('D12 D13 a value that DynamoDB can’t keep', () => {
  it.each<readonly [string, unknown, string]>([
    ['a function', () => 1, 'the value: it is a function'],
    ['no number', { a: [Number.NaN] }, '["a"][0]: it is NaN'],
    ['a number that is not what was meant', 2 ** 53, 'it is 9007199254740992'],
    ['a number too near zero', { a: 1e-131 }, '["a"]: it is 1e-131, too near zero'],
    ['half a character', { text: '\ud800' }, '["text"]: it is no Unicode'],
    ['too many digits', 10n ** 40n + 1n, 'more than 38 digits'],
    ['itself', circular, 'nested more than 30 deep, or holds itself'],
    ['an error', [new Error('m')], '[0]: it is an error'],
    ['an empty set', new Set(), 'it is an empty set'],
    ['a set of two kinds', new Set([1, 'a']), 'a set of something else'],
    ['a member of a set', { a: new Set(['b', '\ud800']) }, '["a"][1]: it is no Unicode'],
    ['a key of half a character', { '\udc00': 1 }, 'a key of it is no Unicode'],
    ['a prototype', JSON.parse('{"__proto__":{}}'), 'a key "__proto__"'],
    [
      'what can’t be read',
      {
        get a() {
          throw new Error('gone');
        },
      },
      'it can’t be read: gone'.replace('’', "'"),
    ],
    [
      'what throws no error',
      {
        get a() {
          throw 'gone';
        },
      },
      'read: gone',
    ],
    ['too many bytes', 'x'.repeat(400 * 1024), 'it has 409601 bytes, at most 393216 fit'],
  ])('is refused with its place and its reason, and the call and lock: %s', async (_what, value, words) => {
    const refused = (async () => kept(value))();
    await expect(refused).rejects.toMatchObject({ name: 'UsageError', lockName: 'jobs' });
    await expect(refused).rejects.toThrow(/^save: DynamoDB can't store /);
    await expect(refused).rejects.toThrow(words);
  });

  it.each<readonly [unknown, unknown]>([
    [undefined, undefined],
    [null, null],
    [0, 0],
    [-1e-130, -1e-130],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [10n ** 50n, 10n ** 50n],
    [{ a: undefined, b: () => 1, c: true }, { c: true }],
    [
      [undefined, 1, () => 1],
      [null, 1, null],
    ],
    [Object.assign(new Array(2), { 1: 1 }), [null, 1]],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Map([['a', 1]]), { a: 1 }],
    [new Set([1, 2n]), new Set([1, 2n])],
    [Object('text'), 'text'],
    [Object(7), 7],
    [Object(false), false],
    [new Uint8Array([1, 2]).subarray(1), new Uint8Array([2])],
    [new Uint8Array([1, 2]).buffer, new Uint8Array([1, 2])],
    [new Set(['a', 'b']), new Set(['a', 'b'])],
  ])('is none: row %#', (value, copy) => {
    expect(kept(value)).toEqual(copy);
  });

  it('is one level too deep, or just not', () => {
    expect(() => kept(nested(31))).not.toThrow();
    expect(() => kept(nested(32))).toThrow(UsageError);
    // What says itself how it is written is a level of its own.
    expect(() => kept({ toJSON: () => nested(30) })).not.toThrow();
    expect(() => kept({ toJSON: () => nested(31) })).toThrow(UsageError);
  });

  it('is too deep in whatever it is nested', () => {
    const map: Map<string, unknown> = new Map();
    map.set('self', [map]);
    const dated: { toJSON?: () => unknown } = {};
    dated.toJSON = () => dated;
    for (const value of [map, dated]) expect(() => kept(value)).toThrow('nested more than 30 deep');
  });

  it.each<readonly [unknown, number]>([
    ['a', 2],
    ['é', 3],
    [1, 3],
    [-12345, 5],
    [10n ** 60n, 22],
    [true, 2],
    [null, 2],
    [new Uint8Array(7), 8],
    [[], 3],
    [['a', 'a'], 9],
    [new Set(['a']), 6],
    [{ ab: 'a' }, 8],
  ])('is measured as DynamoDB counts, or a little larger: row %#', (value, bytes) => {
    expect(measureBytes(value)).toBe(bytes);
  });

  it('is kept as it is now: what is changed later plays no part', () => {
    const bytes = new Uint8Array([1]);
    const value = { list: [1], bytes };
    const copy = kept(value);
    value.list.push(2);
    bytes[0] = 9;
    expect(copy).toEqual({ list: [1], bytes: new Uint8Array([1]) });
  });
});
