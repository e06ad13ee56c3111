import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys } from '../../../lib/scan/keys/key-order.js';
import { childSliceId, plannedSliceId, type SliceItem, sliceName } from '../../../lib/scan/slices/slice.js';
import { slicesOfCuts } from '../../../lib/scan/slices/slice-creation.js';
import { checkTiling, childrenWanted } from '../../../lib/scan/slices/tiling.js';
import { checkProperty } from '../../support/property.js';
import { inByteOrder } from '../../support/scan/listed-keys.js';

/** A slice as it is in the table, as far as its place goes. */
function slice(id: string, lo: string | undefined, hi: string | undefined): SliceItem {
  return { name: sliceName('run', id), version: 1, progress: 0, splitProgress: 0, lo, hi } as SliceItem;
}

function byId(...slices: readonly SliceItem[]): Map<string, SliceItem> {
  return new Map(slices.map((one) => [one.name.slice(one.name.lastIndexOf('/') + 1), one]));
}

const [p0, p1] = [plannedSliceId(0), plannedSliceId(1)];
const childAt = (cut: string, hi: string | undefined) => slice(childSliceId(cut), cut, hi);

describe('how slices lie over the key space', () => {
  const planned = slicesOfCuts(['m']);
  const left = slice(p0, undefined, 'm');
  const right = slice(p1, 'm', undefined);

  it('is without a gap where each planned range has its slice', () => {
    const tiling = checkTiling(planned, byId(right, left));
    expect(tiling).toEqual({ slices: [left, right], gaps: [], wanted: [] });
  });

  it('shows a planned slice that is missing, and its id', () => {
    expect(checkTiling(planned, byId(left))).toEqual({
      slices: [left],
      gaps: [{ lo: 'm', hi: undefined, reason: 'missing' }],
      wanted: [p1],
    });
  });

  it('follows splits, also those of children, by their cuts', () => {
    const parent = slice(p0, undefined, 'c');
    const child = childAt('c', 'f');
    const grandchild = childAt('f', 'k');
    const second = childAt('k', 'm');
    const { slices, gaps, wanted } = checkTiling(planned, byId(parent, child, grandchild, second, right));
    expect(slices).toEqual([parent, child, grandchild, second, right]);
    expect({ gaps, wanted }).toEqual({ gaps: [], wanted: [] });
  });

  it('shows the gap that a lost child leaves, and the id that fills it', () => {
    const parent = slice(p0, undefined, 'c');
    const child = childAt('c', 'f');
    expect(checkTiling(planned, byId(parent, child, right))).toEqual({
      slices: [parent, child, right],
      gaps: [{ lo: 'f', hi: 'm', reason: 'missing' }],
      wanted: [childSliceId('f')],
    });
  });

  it('shows the gap behind the last planned slice, up to the open end', () => {
    const cutOff = slice(p1, 'm', 'q');
    expect(checkTiling(planned, byId(left, cutOff)).gaps).toEqual([
      { lo: 'q', hi: undefined, reason: 'missing' },
    ]);
    const child = childAt('q', undefined);
    expect(checkTiling(planned, byId(left, cutOff, child)).gaps).toEqual([]);
  });

  it('shows a slice that begins elsewhere than planned', () => {
    const late = slice(p1, 'n', undefined);
    expect(checkTiling(planned, byId(left, late)).gaps).toEqual([{ lo: 'm', hi: 'n', reason: 'missing' }]);
  });

  it('shows slices that reach over the end of their range', () => {
    const over = slice(p0, undefined, 'p');
    expect(checkTiling(planned, byId(over, right)).gaps).toEqual([{ lo: 'm', hi: 'p', reason: 'overlap' }]);
    const endless = slice(p0, undefined, undefined);
    expect(checkTiling(planned, byId(endless, right)).gaps).toEqual([
      { lo: 'm', hi: undefined, reason: 'overlap' },
    ]);
    const parent = slice(p0, undefined, 'c');
    const long = childAt('c', 'z');
    expect(checkTiling(planned, byId(parent, long, right)).gaps).toEqual([
      { lo: 'm', hi: 'z', reason: 'overlap' },
    ]);
  });

  it('does not take a child for one that begins elsewhere, or ends where it begins: it must end', () => {
    const parent = slice(p0, undefined, 'c');
    const elsewhere = slice(childSliceId('c'), 'd', 'm');
    const gap = { lo: 'c', hi: 'm', reason: 'missing' };
    expect(checkTiling(planned, byId(parent, elsewhere, right)).gaps).toEqual([
      gap,
      { lo: 'd', hi: 'm', reason: 'stray' },
    ]);
    for (const hi of ['c', 'b']) {
      const empty = childAt('c', hi);
      const { gaps, wanted } = checkTiling(planned, byId(parent, empty, right));
      expect(gaps).toEqual([gap, { lo: 'c', hi, reason: 'stray' }]);
      expect(wanted).toEqual([childSliceId('c')]);
    }
  });

  it('shows strays: their keys would be in two results', () => {
    const stray = slice('c-of-nobody', 'a', 'b');
    const { slices, gaps } = checkTiling(planned, byId(left, right, stray));
    expect(slices).toEqual([left, right]);
    expect(gaps).toEqual([{ lo: 'a', hi: 'b', reason: 'stray' }]);
  });

  it('property: any splits tile; whichever slice is taken away shows as a gap, and is asked for', () => {
    const keys = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }), { maxLength: 8 });
    checkProperty(
      fc.property(keys, fc.array(fc.tuple(fc.nat(), fc.nat())), fc.nat(), (all, splits, lost) => {
        const wellFormed = [...new Set(all.map((key) => Buffer.from(key).toString()))];
        const ordered = inByteOrder(wellFormed);
        const cuts = ordered.filter((_, index) => index % 3 === 0);
        const plan = slicesOfCuts(cuts);
        const found = byId(...plan.map(({ id, lo, hi }) => slice(id, lo, hi)));
        for (const [victim, where] of splits) {
          const [id, whole] = [...found][victim % found.size]!;
          const inside = ordered.filter(
            (key) =>
              (whole.lo === undefined || compareKeys(whole.lo, key) < 0) &&
              (whole.hi === undefined || compareKeys(key, whole.hi) < 0),
          );
          if (inside.length === 0) continue;
          const cut = inside[where % inside.length]!;
          found.set(id, slice(id, whole.lo, cut));
          // A cut is an end of two slices once it is made: its id is nobody else's.
          expect(found.has(childSliceId(cut))).toBe(false);
          found.set(childSliceId(cut), childAt(cut, whole.hi));
        }
        const { slices, gaps, wanted } = checkTiling(plan, found);
        expect({ gaps, wanted }).toEqual({ gaps: [], wanted: [] });
        expect(slices).toHaveLength(found.size);
        const bounds = slices.map(({ hi }) => hi);
        expect(slices.map(({ lo }) => lo)).toEqual([undefined, ...bounds.slice(0, -1)]);
        expect(bounds.at(-1)).toBeUndefined();
        expect(childrenWanted(plan, found.values())).toEqual([]);

        const [lostId] = [...found][lost % found.size]!;
        const left = new Map([...found].filter(([id]) => id !== lostId));
        const without = checkTiling(plan, left);
        expect(without.gaps.some(({ reason }) => reason === 'missing')).toBe(true);
        expect(without.wanted).toContain(lostId);
        const isPlanned = plan.some(({ id }) => id === lostId);
        if (!isPlanned) expect(childrenWanted(plan, left.values())).toContain(lostId);
      }),
    );
  });
});

describe('the children that there must be', () => {
  const planned = slicesOfCuts(['m']);

  it('are none where every slice ends where another begins, or at the open end', () => {
    expect(childrenWanted(planned, [slice(p0, undefined, 'm'), slice(p1, 'm', undefined)])).toEqual([]);
    expect(childrenWanted([], [])).toEqual([]);
    expect(childrenWanted(planned, [slice(p1, 'm', undefined)])).toEqual([]);
  });

  it('are those of the cuts at which a slice ends and none begins', () => {
    const parent = slice(p0, undefined, 'c');
    const child = childAt('c', 'f');
    const behind = childAt('k', 'm');
    const right = slice(p1, 'm', 'q');
    expect(childrenWanted(planned, [parent, child, behind, right])).toEqual([
      childSliceId('f'),
      childSliceId('q'),
    ]);
  });

  it('are none where a planned slice begins that was not seen yet', () => {
    expect(childrenWanted(planned, [slice(p0, undefined, 'm')])).toEqual([]);
  });

  it('are asked for once a cut, however many slices end there', () => {
    const slices = [slice(p0, undefined, 'c'), slice('c1', 'b', 'c'), slice(p1, 'm', undefined)];
    expect(childrenWanted(planned, slices)).toEqual([childSliceId('c')]);
  });
});
