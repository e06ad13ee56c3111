import { describe, expect, it } from 'vitest';
import { Alphabet } from '../../../lib/scan/keys/key-middle.js';
import { topCharacter } from '../../../lib/scan/keys/key-order.js';
import { fill, type OpenSlice } from '../../../lib/scan/plan/plan-cuts.js';
import { planningOf } from '../../support/scan/planning.js';

const whole: OpenSlice = { hi: undefined, low: 'k/000', top: `k/9${topCharacter}` };
const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);

async function filled(
  slices: readonly OpenSlice[],
  { keys, wanted, limit = 99, characters = '0123456789' }: FillCase,
) {
  const alphabet = new Alphabet();
  alphabet.add(characters);
  const { bucket, requests } = planningOf({ keys, prefix: 'k/', limit });
  const result = await fill(requests, slices, { wanted, alphabet, stem: 'k/' });
  return { slices: result, probes: bucket.probes, alphabet };
}

interface FillCase {
  readonly keys: readonly string[];
  readonly wanted: number;
  readonly limit?: number;
  readonly characters?: string;
}

describe('filling up a plan', () => {
  it('cuts before the key that a probe in the middle brings back', async () => {
    const { slices, probes } = await filled([whole], { keys: numbered(1_000, 'k/'), wanted: 2 });
    expect(probes).toEqual(['k/5']);
    expect(slices).toEqual([
      { hi: 'k/5', low: 'k/000', top: 'k/5', sparse: false },
      { hi: undefined, low: 'k/500', top: whole.top, sparse: false },
    ]);
  });

  it('does nothing where there are enough slices, or no request is left', async () => {
    expect((await filled([whole], { keys: ['k/1'], wanted: 1 })).probes).toEqual([]);
    const { slices, probes } = await filled([whole], { keys: ['k/1'], wanted: 9, limit: 0 });
    expect(probes).toEqual([]);
    expect(slices).toEqual([whole]);
  });

  it('lowers the top where nothing comes back, then looks right behind the first character', async () => {
    const { slices, probes } = await filled([whole], { keys: ['k/000', 'k/001', 'k/1'], wanted: 2 });
    expect(probes).toEqual(['k/5', `k/0${topCharacter}`]);
    expect(slices.map(({ hi }) => hi)).toEqual([`k/0${topCharacter}`, undefined]);
  });

  it('looks for nothing in an open slice that begins behind all that keys are taken to begin with', async () => {
    const behind: OpenSlice = { hi: undefined, low: 'zzzz', top: undefined, sparse: true };
    const { slices, probes } = await filled([behind], { keys: ['k/000', 'zzzz'], wanted: 2 });
    expect(probes).toEqual([]);
    expect(slices).toEqual([behind]);
  });

  it('takes a key behind the slice for nothing', async () => {
    const first: OpenSlice = { hi: 'k/7', low: 'k/000', top: undefined };
    const second: OpenSlice = { hi: undefined, low: 'k/8', top: 'k/8' };
    const { slices } = await filled([first, second], { keys: ['k/000', 'k/8'], wanted: 3, limit: 1 });
    expect(slices).toEqual([{ ...first, top: 'k/3', sparse: true }, second]);
    const edge = await filled([first, second], { keys: ['k/000', 'k/7', 'k/8'], wanted: 3, limit: 1 });
    expect(edge.slices.map(({ hi }) => hi)).toEqual(['k/3', 'k/7', undefined]);
  });

  it('looks for nothing above the end of a slice, however far up keys were seen', async () => {
    const first: OpenSlice = { hi: 'k/4', low: 'k/000', top: `k/9${topCharacter}` };
    const second: OpenSlice = { hi: undefined, low: 'k/400', top: 'k/400' };
    const { probes } = await filled([first, second], { keys: numbered(1_000, 'k/'), wanted: 3 });
    expect(probes).toEqual(['k/2']);
  });

  it('leaves more slices than are wanted as they are', async () => {
    const slices = ['k/1', 'k/2', 'k/3', undefined].map((hi) => ({ hi, low: 'k/0', top: undefined }));
    const result = await filled(slices, { keys: numbered(1_000, 'k/'), wanted: 2 });
    expect(result).toMatchObject({ slices, probes: [] });
  });

  it('takes the widest slices first', async () => {
    const narrow: OpenSlice = { hi: 'k/2', low: 'k/000', top: undefined };
    const wide: OpenSlice = { hi: undefined, low: 'k/200', top: whole.top };
    const { probes } = await filled([narrow, wide], { keys: numbered(1_000, 'k/'), wanted: 3, limit: 1 });
    expect(probes).toEqual(['k/6']);
  });

  it('probes eight at a time, no more than are wanted and than requests are left', async () => {
    const slices = Array.from({ length: 10 }, (_, digit) => ({
      hi: digit === 9 ? undefined : `k/${digit + 1}`,
      low: `k/${digit}00`,
      top: digit === 9 ? whole.top : undefined,
    }));
    const keys = numbered(1_000, 'k/');
    expect((await filled(slices, { keys, wanted: 13 })).probes).toHaveLength(3);
    expect((await filled(slices, { keys, wanted: 99, limit: 5 })).probes).toHaveLength(5);
    expect((await filled(slices, { keys, wanted: 18 })).slices).toHaveLength(18);
    expect((await filled(slices, { keys, wanted: 19 })).probes).toHaveLength(9);
  });

  it('learns the characters that probes bring back, those of the prefix left out', async () => {
    const { alphabet } = await filled([whole], { keys: ['k/000', 'k/7ü'], wanted: 2, limit: 1 });
    expect(alphabet.digitOf('ü'.codePointAt(0)!)).toBe(11);
    expect(alphabet.base).toBe(12);
  });

  it('gives up where no cut can be found', async () => {
    const { slices, probes } = await filled([whole], { keys: ['k/000'], wanted: 9, characters: '' });
    expect({ slices, probes }).toEqual({ slices: [whole], probes: [] });
  });

  it('looks behind the first character by the stem where the slice is open', async () => {
    const open: OpenSlice = { hi: undefined, low: 'k/00', top: undefined, sparse: true };
    expect((await filled([open], { keys: ['k/00'], wanted: 2, limit: 1 })).probes).toEqual([
      `k/0${topCharacter}`,
    ]);
  });

  it('looks in the middle where there is nothing behind the first character', async () => {
    const sparse = { hi: 'k/05', low: 'k/000', top: undefined, sparse: true };
    // The bounds differ behind k/0: the first character there is 0.
    expect((await filled([sparse], { keys: ['k/000'], wanted: 2, limit: 1 })).probes).toEqual([
      `k/00${topCharacter}`,
    ]);
    const before = { ...sparse, low: 'k/', hi: 'k/5' };
    expect((await filled([before], { keys: ['k/000'], wanted: 2, limit: 1 })).probes).toEqual(['k/2']);
  });

  it('does not look into a slice that ends before the first key', async () => {
    const empty = { hi: 'k/2', low: 'k/5', top: undefined, sparse: true };
    expect((await filled([empty], { keys: ['k/5'], wanted: 2 })).probes).toEqual([]);
  });

  it('never probes with what may not be sent: the middle instead', async () => {
    const sparse = { hi: undefined, low: 'k/%', top: 'k/9', sparse: true };
    const { probes } = await filled([sparse], { keys: ['k/%'], wanted: 2, limit: 1 });
    expect(probes).toEqual(['k/4']);
  });
});
