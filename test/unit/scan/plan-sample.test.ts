import { describe, expect, it } from 'vitest';
import type { Alphabet } from '../../../lib/scan/keys/key-middle.js';
import { topCharacter } from '../../../lib/scan/keys/key-order.js';
import { samplePages, withClosedTop, withTrueStem } from '../../../lib/scan/plan/plan-sample.js';
import { type Planning, planningOf } from '../../support/scan/planning.js';

const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);

async function sampled(slices: number, planning: Planning) {
  const { bucket, requests } = planningOf(planning);
  const sample = await samplePages(requests, slices);
  bucket.asked.length = 0;
  return { bucket, requests, sample };
}

function charactersOf(alphabet: Alphabet): string {
  return Array.from({ length: alphabet.base - 1 }, (_, digit) => alphabet.characterOf(digit + 1)).join('');
}

describe('the first pages', () => {
  it('are four at most, and say what the keys begin with and are made of', async () => {
    const { bucket, requests } = planningOf({ keys: numbered(45, 'p/k'), prefix: 'p/' });
    const sample = await samplePages(requests, 9);
    expect(bucket.asked.map(({ StartAfter }) => StartAfter)).toEqual([
      ...[undefined, 'p/k009', 'p/k019', 'p/k029'],
    ]);
    expect(sample).toMatchObject({
      pageEnds: ['p/k009', 'p/k019', 'p/k029', 'p/k039'],
      complete: false,
      firstKey: 'p/k000',
      stem: 'p/k0',
    });
    expect(charactersOf(sample.alphabet)).toBe('0123456789k');
  });

  it('are no more than slices are wanted', async () => {
    const { bucket, requests } = planningOf({ keys: numbered(45, 'k') });
    await samplePages(requests, 2);
    expect(bucket.asked).toHaveLength(2);
  });

  it('of a small prefix are all that there is', async () => {
    const { sample } = await sampled(9, { keys: numbered(15, 'k') });
    expect(sample).toMatchObject({ pageEnds: ['k009', 'k014'], complete: true, stem: 'k0' });
  });

  it('of an empty prefix: no key, no page, and the prefix for a stem', async () => {
    const { bucket, requests } = planningOf({ keys: ['elsewhere'], prefix: 'p/' });
    const sample = await samplePages(requests, 9);
    expect(sample).toMatchObject({ pageEnds: [], complete: true, firstKey: undefined, stem: 'p/' });
    expect(bucket.asked).toHaveLength(1);
  });

  it('are all looked at for what the keys begin with', async () => {
    const { sample } = await sampled(9, { keys: [...numbered(25, 'a/b'), ...numbered(25, 'a/c')] });
    expect(sample.stem).toBe('a/');
  });

  it('never make the stem shorter than the prefix', async () => {
    const { sample } = await sampled(9, { keys: ['p/', 'p/a', 'p/b'], prefix: 'p/' });
    expect(sample.stem).toBe('p/');
  });
});

describe('the true stem', () => {
  const keys = [...numbered(50, 'p/2023/a'), 'p/2023/z', ...numbered(9, 'p/2024/b'), 'p/x'];

  it('is found by probes past all that begins with what the pages share', async () => {
    const { bucket, requests, sample } = await sampled(9, { keys, prefix: 'p/' });
    expect(sample.stem).toBe('p/2023/a0');
    const { stem, alphabet } = await withTrueStem(requests, sample, 0);
    expect(stem).toBe('p/');
    expect(bucket.probes).toEqual(['p/2023/a0', 'p/2023/', 'p/202'].map((past) => past + topCharacter));
    expect(charactersOf(alphabet)).toContain('xz');
  });

  it('is what the pages share where nothing lies behind it', async () => {
    const { bucket, requests, sample } = await sampled(3, { keys: numbered(50, 'only/k'), prefix: '' });
    expect((await withTrueStem(requests, sample, 0)).stem).toBe('only/k0');
    expect(bucket.probes).toEqual([`only/k0${topCharacter}`]);
  });

  it('takes no request that is reserved, and none where the prefix is all', async () => {
    const { bucket, requests, sample } = await sampled(4, { keys, prefix: 'p/', limit: 6 });
    expect((await withTrueStem(requests, sample, 2)).stem).toBe('p/2023/a0');
    expect(bucket.asked).toEqual([]);
    expect((await withTrueStem(requests, sample, 1)).stem).toBe('p/2023/');
    expect(bucket.asked).toHaveLength(1);
    await withTrueStem(requests, { ...sample, stem: 'p/' }, 0);
    expect(bucket.asked).toHaveLength(1);
  });

  it('stays where it is if a probe past it would be too long for S3', async () => {
    const long = 'k'.repeat(1_020);
    const { bucket, requests, sample } = await sampled(2, {
      keys: [...numbered(3, long), 'z'].map((key) => key.slice(0, 1_023)),
      pageSize: 1,
    });
    const exact = { ...sample, stem: long };
    expect((await withTrueStem(requests, exact, 0)).stem).toBe('');
    expect(bucket.probes).toEqual([long + topCharacter]);
    const tooLong = { ...sample, stem: `${long}0` };
    expect((await withTrueStem(requests, tooLong, 0)).stem).toBe(`${long}0`);
    expect(bucket.probes).toHaveLength(1);
  });

  it('stays where it is if the key behind it begins with it all the same', async () => {
    const planning = { keys: ['a/1', 'a/2', 'a/\u{10ffff}'], pageSize: 1 };
    const { bucket, requests, sample } = await sampled(2, planning);
    expect(sample.stem).toBe('a/');
    expect((await withTrueStem(requests, sample, 0)).stem).toBe('a/');
    expect(bucket.probes).toHaveLength(1);
  });
});

describe('the top', () => {
  const closed = async (keys: readonly string[], reserve = 0, stem?: string) => {
    const { bucket, requests, sample } = await sampled(1, { keys, pageSize: 3 });
    const result = await withClosedTop(requests, { ...sample, stem: stem ?? sample.stem }, reserve);
    return {
      emptyAfter: result.emptyAfter,
      probes: bucket.probes,
      alphabet: result.alphabet,
      result,
      sample,
    };
  };

  it('is closed behind the last leading character, in two probes if that is the one that was seen', async () => {
    const { emptyAfter, probes } = await closed(numbered(9, 'k/0'), 0, 'k/');
    expect(emptyAfter).toBe(`k/0${topCharacter}`);
    expect(probes).toEqual([`k/0${topCharacter}`]);
  });

  it('is looked for straight behind what was seen, then behind all of ASCII, then halfway', async () => {
    const { emptyAfter, probes } = await closed(['a', 'b', 'c', 'd', 'm', 'x'], 0, '');
    expect(emptyAfter).toBe(`x${topCharacter}`);
    const points = probes.map((past) => past!.codePointAt(0)!);
    expect(points.slice(0, 2)).toEqual([0x63, 0x7e]);
    expect(points[2]).toBe((0x64 + 0x7e) >> 1);
    for (const past of probes) expect(past!.endsWith(topCharacter)).toBe(true);
  });

  it('may lie outside of ASCII; then some characters in between are taken as seen', async () => {
    const { emptyAfter, alphabet } = await closed(['a', 'b', 'c', '\u4e00', '\u9fa5x'], 0, '');
    expect(emptyAfter).toBe(`\u9fa5${topCharacter}`);
    expect(charactersOf(alphabet)).toContain('\u4e00');
    expect(alphabet.base).toBeGreaterThan(64);
  });

  it('of ASCII keys adds none', async () => {
    const { alphabet } = await closed(['a', 'b', 'c', '~'], 0, '');
    expect(charactersOf(alphabet)).toBe('abc~');
  });

  it('is left open without a request for it, without a key, and where the stem is not the true one', async () => {
    expect(await closed(numbered(9, 'k'), 99)).toMatchObject({ emptyAfter: undefined, probes: [] });
    expect(await closed([])).toMatchObject({ emptyAfter: undefined, probes: [] });
    const outside = await closed(['k/1', 'k/2', 'k/3', 'k/4', 'm'], 0, 'k/');
    expect(outside.emptyAfter).toBeUndefined();
    expect(outside.result).toEqual({ ...outside.sample, stem: 'k/' });
    const elsewhere = await closed(['k/1', 'k/2', 'k/3'], 0, 'x/');
    expect(elsewhere).toMatchObject({ emptyAfter: undefined, probes: [] });
  });

  it('is left open where a probe would be too long for S3', async () => {
    const stem = 'k'.repeat(1_020);
    expect(await closed([`${stem.slice(1)}1`], 0, stem.slice(1))).toMatchObject({
      probes: [expect.anything()],
    });
    expect(await closed([`${stem}1`], 0, stem)).toMatchObject({ emptyAfter: undefined, probes: [] });
  });

  it('is left open where a key lies above the top character', async () => {
    const { emptyAfter, probes } = await closed(['a', 'b', 'c', 'c\u{10ffff}'], 0, '');
    expect(emptyAfter).toBeUndefined();
    expect(probes).toHaveLength(1);
  });

  it('of all of ASCII is not looked for there again', async () => {
    const { emptyAfter, probes } = await closed(['a', 'b', 'c', '~1'], 0, '');
    expect(emptyAfter).toBe(`~${topCharacter}`);
    expect(probes).toEqual([`c${topCharacter}`, `~${topCharacter}`]);
  });

  it('may be a character that may not be invented, if keys have it', async () => {
    expect((await closed(['#1', '#2', '#3', '%5'], 0, '')).emptyAfter).toBe(`%${topCharacter}`);
  });

  it('is looked for with characters that may be sent, wherever the middle lies', async () => {
    for (let point = 0xc000; point < 0x1_2000; point += 0x333) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const last = String.fromCodePoint(point);
      const { emptyAfter, probes } = await closed(['a', 'b', 'c', last], 0, '');
      expect(emptyAfter).toBe(last + topCharacter);
      for (const past of probes) {
        if (past!.startsWith(last)) continue;
        expect(past).not.toMatch(/[\p{Cs}\p{Noncharacter_Code_Point}\p{Cc}%]/u);
      }
    }
  });
});

describe('the characters of keys', () => {
  it('are learned from every probe, those of the prefix left out', async () => {
    const planning = { keys: [...numbered(25, 'qw/a/'), 'qw/b/x', 'qw/~'], prefix: 'qw/', pageSize: 10 };
    const { requests, sample } = await sampled(2, planning);
    expect(charactersOf(sample.alphabet)).toBe('/0123456789a');
    const stemmed = await withTrueStem(requests, sample, 0);
    expect(charactersOf(stemmed.alphabet)).toBe('/0123456789abx');
    const closed = await withClosedTop(requests, stemmed, 0);
    expect(charactersOf(closed.alphabet)).toBe('/0123456789abx~');
  });
});
