import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScanProgress } from '../../../bin/cli/scan/progress.js';
import { progressLine } from '../../../bin/cli/scan/progress-view.js';
import { publishScan, type ScanEvents } from '../../../lib/scan/seats/scan-events.js';

type Slice = { readonly seat: number; readonly slice: string };

describe('what a scan from a terminal shows', () => {
  let nowMs = 0;
  let progress: ScanProgress;
  beforeEach(() => {
    nowMs = 1_000_000;
    progress = new ScanProgress('r', () => nowMs);
  });
  afterEach(() => progress[Symbol.dispose]());

  const about = ({ seat, slice }: Slice) =>
    ({ run: 'r', seat, slice, name: `scan/r/${slice}`, token: 1 }) as ScanEvents['scan-page-done'];
  const takes = (slice: Slice, lo?: string, hi?: string) => {
    const facts = { takenOver: false, takenOverFrom: undefined, cursor: undefined, lo, hi, attempts: 1 };
    publishScan('scan-slice-acquired', { ...about(slice), ...facts });
  };
  const does = (slice: Slice, objects: number, lastKey: string) => {
    publishScan('scan-page-claimed', { ...about(slice), pages: 1, objects, firstKey: lastKey, lastKey });
    publishScan('scan-page-done', { ...about(slice), pages: 1, objects, bytes: 0, totalObjects: objects });
  };
  const completes = (slice: Slice) =>
    publishScan('scan-slice-completed', { ...about(slice), pages: 1, objects: 1, bytes: 0 });

  it('tells objects a second, busy seats, splits and the time that is left', () => {
    expect(progressLine(progress, 4, 2)).toBe(
      '0 slices done (2 planned, 0 splits) · 0 objects · 0 objects/s · 0 of 4 seats busy · 0 takeovers',
    );
    takes({ seat: 0, slice: '0' }, undefined, '00100');
    takes({ seat: 1, slice: '1' }, '00100');
    for (let page = 1; page <= 20; page++) {
      nowMs += 100;
      does({ seat: 0, slice: '0' }, 2, String(page).padStart(5, '0'));
      progress.objectsPerSecond();
      progress.timeLeftMs();
    }
    const split = { run: 'r', seat: 2, slice: '1', name: 'scan/r/1', owner: 'x', cut: '00150' };
    publishScan('scan-slice-split', { ...split, child: 'c', hi: undefined, pagesLeft: 8 });

    const line = progressLine(progress, 4, 2);
    expect(line).toMatch(
      /^0 slices done \(2 planned, 1 split\) · 40 objects · 20 objects\/s · 2 of 4 seats busy/,
    );
    expect(line).toMatch(/ · about [\d.]+(s|m|h).* left$/);
    completes({ seat: 0, slice: '0' });
    expect(progressLine(progress, 4, 2)).toMatch(/^1 slice done .* · 1 of 4 seats busy/);
  });

  it('reports how much of the time the seats had work, from the first slice to the end of the last', () => {
    expect(progress.workHere(2)).toMatchObject({ busyShare: null, objectsPerSecond: 0 });
    takes({ seat: 0, slice: '0' });
    nowMs += 500;
    takes({ seat: 1, slice: '1' });
    does({ seat: 0, slice: '0' }, 30, 'k');
    nowMs += 250;
    completes({ seat: 1, slice: '1' });
    nowMs += 250;
    completes({ seat: 0, slice: '0' });
    nowMs += 9_000;

    // A second for the first, a quarter of one for the other, of two seconds.
    expect(progress.workHere(2)).toEqual({
      ...{ seats: 2, busyShare: 0.625, splits: 0, objects: 30, objectsPerSecond: 30 },
    });
  });

  it('counts nothing of other runs', () => {
    publishScan('scan-slice-completed', {
      ...about({ seat: 0, slice: '0' }),
      ...{ run: 'other', pages: 1, objects: 1, bytes: 0 },
    });
    expect(progress.slicesDone).toBe(0);
  });
});
