import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyRanges, type ProofGround, prove, type SliceEvidence } from '../../../bin/start/proof/proof.js';

import { checkProperty } from '../../support/property.js';

const slice = (id: string, lo: string | undefined, hi: string | undefined): SliceEvidence => ({
  id,
  lo,
  hi,
  completed: true,
  token: 5,
  writtenUnder: 5,
  objects: 2,
  bytes: 10,
  pages: 1,
  takeovers: 0,
  digest: `digest of ${id}`,
});

const sound: ProofGround = {
  failure: undefined,
  reported: { objects: 4, bytes: 20 },
  before: { objects: 4, bytes: 20 },
  slices: [slice('a', undefined, 'm'), slice('b', 'm', undefined)],
  walked: [
    { objects: 2, bytes: 10, digest: 'digest of a' },
    { objects: 2, bytes: 10, digest: 'digest of b' },
  ],
  ledger: new Map([
    ['a', 5],
    ['b', 5],
  ]),
};

const broken = (change: Partial<ProofGround>): number[] =>
  prove({ ...sound, ...change }).flatMap(({ holds }, index) => (holds ? [] : [index]));
const with1 = (change: Partial<SliceEvidence>) => ({
  slices: [sound.slices[0]!, { ...sound.slices[1]!, ...change }],
});

describe('the proof', () => {
  it('holds for a sound run', () => expect(broken({})).toEqual([]));

  it.each<[string, Partial<ProofGround>, number[]]>([
    ['a failed state machine', { failure: 'ScanFailed: no' }, [0]],
    ['a slice that is not done', with1({ completed: false }), [0]],
    ['another number of objects', { reported: { objects: 5, bytes: 20 } }, [1]],
    ['another number of bytes', { reported: { objects: 4, bytes: 21 } }, [1]],
    ['a result with another key in it', with1({ digest: 'other' }), [2]],
    ['a result with one key less', with1({ objects: 1 }), [2]],
    ['a gap', with1({ lo: 'n' }), [3]],
    ['an overlap', with1({ lo: 'l' }), [3]],
    ['a closed end', with1({ hi: 'z' }), [3]],
    ['an open joint', { slices: [slice('a', undefined, undefined), slice('b', undefined, undefined)] }, [3]],
    [
      'a ledger row under an older token',
      {
        ledger: new Map([
          ['a', 4],
          ['b', 5],
        ]),
      },
      [4],
    ],
    ['no slices at all', { slices: [], walked: [], reported: { objects: 0, bytes: 0 } }, [2, 3]],
  ])('fails for %s', (_what, change, checks) => expect(broken(change)).toEqual(checks));
});

describe('a directory that changes meanwhile', () => {
  it('has sizes that can not be compared', () => {
    const change = { reported: { objects: 4, bytes: 21 }, before: { objects: 4, bytes: 19 } };
    expect(broken(change)).toEqual([]);
    expect(prove({ ...sound, ...change })[1]!.figures).toContain('files changed meanwhile');
  });

  it('fails when its keys change, and says that they did', () => {
    const change = { reported: { objects: 3, bytes: 20 }, before: { objects: 3, bytes: 20 } };
    expect(broken(change)).toEqual([1]);
    expect(prove({ ...sound, ...change })[1]!.figures).toContain('it had 3 objects before');
  });
});

describe('the ranges of the walk', () => {
  it('put a key where its UTF-8 bytes belong, a bound to its left', () => {
    const keys = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), {
      minLength: 1,
    });
    checkProperty(
      fc.property(keys, fc.string({ unit: 'grapheme' }), (his, key) => {
        const bytes = his.map((hi) => Buffer.from(hi)).sort(Buffer.compare);
        const expected = bytes.filter((hi) => Buffer.compare(hi, Buffer.from(key)) < 0).length;
        expect(new KeyRanges([...bytes.map(String), undefined]).indexOf(key)).toBe(expected);
      }),
    );
  });
});
