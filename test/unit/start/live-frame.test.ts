import { stripVTControlCharacters } from 'node:util';
import { createColors } from 'picocolors';
import { describe, expect, it } from 'vitest';
import { RunProgress } from '../../../bin/start/run-progress.js';
import { frame } from '../../../bin/start/view/frame.js';
import { choosePalette } from '../../../bin/terminal/styled-line.js';

/** A run in the middle of its faults. */
function busyProgress(slices: number, seats: number): RunProgress {
  const progress = new RunProgress(() => {});
  progress.phase = 'scanning';
  progress.walked = { objects: 12_345, bytes: 0, done: true };
  progress.planned(Array.from({ length: slices }, (_, index) => String(index).padStart(6, '0')));
  for (let seat = 0; seat < seats; seat++) {
    progress.seatIs(seat, 'starting');
    const event = { seat, slice: String(seat).padStart(6, '0'), token: 1_700_000_000_000 + seat };
    progress.apply(4_000 + seat, { type: 'scan-slice-acquired', takenOver: false, ...event });
    progress.apply(4_000 + seat, { type: 'scan-page-claimed', pages: 1, objects: 100, ...event });
    progress.apply(4_000 + seat, {
      type: 'scan-page-done',
      pages: 1,
      objects: 100,
      totalObjects: 100,
      ...event,
    });
  }
  progress.struck({ kind: 'stop', slice: '000000', page: 2, seat: 0, pid: 4_000, token: 1_700_000_000_000 });
  progress.apply(4_001, {
    type: 'scan-slice-acquired',
    seat: 1,
    slice: '000000',
    token: 1_700_000_000_009,
    takenOver: true,
    takenOverFrom: { owner: 'scan/run/seat-0', token: 1_700_000_000_000 },
  });
  return progress;
}

const plain = createColors(false);
const colourful = createColors(true);
const settings = { palette: plain, subtitle: 'a/directory · an engine · options', objectsPerSecond: 1_234 };

describe('the live view', () => {
  it.each([
    [80, 24],
    [120, 40],
    [40, 12],
    [20, 6],
    [200, 60],
  ])('fits a screen of %d × %d', (columns, rows) => {
    for (const [slices, seats] of [
      [0, 0],
      [1, 1],
      [24, 6],
      [900, 40],
    ] as const) {
      const lines = frame(busyProgress(slices, seats), { ...settings, columns, rows }).split('\n');
      expect(lines.length).toBeLessThan(rows);
      for (const line of lines) expect([...line].length).toBeLessThan(Math.max(columns, 21));
    }
  });

  it('says the same with and without colours', () => {
    const progress = busyProgress(24, 6);
    Object.defineProperty(progress, 'elapsedMs', { value: 1_000 });
    const size = { columns: 100, rows: 40 };
    const coloured = frame(progress, { ...settings, ...size, palette: colourful });
    expect(coloured).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured)).toBe(frame(progress, { ...settings, ...size }));
  });

  it('shows who holds which slice under which token, and what happened', () => {
    const text = frame(busyProgress(24, 6), { ...settings, columns: 120, rows: 40 });
    expect(text).toMatch(/5 +4005 +000005 +1700000000005 +1 +100 +working/);
    expect(text).toContain('worker 4000 (seat 0) stopped in slice 000000, page 2, token …000000');
    expect(text).toContain('slice 000000 taken over by worker 4001 (seat 1), the lease before had run out');
    expect(text).toContain('600 of 12,345');
  });
});

describe('colours', () => {
  it('are for terminals, unless NO_COLOR or FORCE_COLOR says otherwise', () => {
    const colours = (isTTY: boolean, env: NodeJS.ProcessEnv) =>
      choosePalette({ isTTY }, env).isColorSupported;
    expect(colours(true, {})).toBe(true);
    expect(colours(true, { NO_COLOR: '1' })).toBe(false);
    expect(colours(true, { TERM: 'dumb' })).toBe(false);
    expect(colours(false, { CI: 'true' })).toBe(false);
    expect(colours(false, { FORCE_COLOR: '1' })).toBe(true);
  });
});
