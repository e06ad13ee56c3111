import { expect, it } from 'vitest';
import { SeatTime } from '../../../lib/scan/seats/seat-host.js';
import { HandClocks } from '../../support/hand-clocks.js';

it('a seat takes no page that may last longer than is left, going by the longest so far', async () => {
  const clocks = new HandClocks();
  const begunMs = clocks.monotonicMs();
  const time = new SeatTime(clocks, () => 10_000 - (clocks.monotonicMs() - begunMs), 1_000);
  const page = (ms: number) =>
    time.measured(async () => {
      await Promise.resolve();
      clocks.move(ms, ms);
      return ms;
    });
  expect(time.leftMs).toBe(9_000);
  expect(await page(3_000)).toBe(3_000);
  expect([time.leftMs, time.isShort]).toEqual([6_000, false]);
  await page(2_000);
  // Four seconds are left, and one page took three.
  expect([time.remainingMs, time.leftMs, time.isShort]).toEqual([5_000, 4_000, false]);
  await page(1_000);
  expect([time.leftMs, time.isShort]).toEqual([3_000, true]);
});

it('a seat that nothing cuts off has all the time there is', () => {
  const time = new SeatTime(new HandClocks(), undefined, 1_000);
  expect([time.leftMs, time.remainingMs, time.isShort]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    false,
  ]);
});
