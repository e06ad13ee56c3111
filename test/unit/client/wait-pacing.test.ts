import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WaitPacing } from '../../../lib/client/wait-pacing.js';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { HandClocks } from '../../support/hand-clocks.js';
import { checkProperty } from '../../support/property.js';

const [pollFloorMs, pollCeilingMs] = [50, 1_000];

/** Clocks that tell the same, and chance as it is told. */
function scene(waitMs: number, chances: readonly number[] = [0.5]) {
  const time = new HandClocks();
  let drawn = 0;
  const runtime = Object.assign(time, { random: () => chances[drawn++ % chances.length]! });
  const clock = new StoreClock(runtime);
  const pacing = new WaitPacing(clock, runtime, { waitMs, pollFloorMs, pollCeilingMs });
  return { pacing, pass: (ms: number) => time.move(ms, ms) };
}

const chances = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 8 });
/** What a waiter sees at its looks: how long it waits, and whether the lock has changed hands by then. */
const looks = fc.array(
  fc.record({ changed: fc.boolean(), untilExpiryMs: fc.integer({ min: -500, max: 20_000 }) }),
  {
    minLength: 1,
    maxLength: 40,
  },
);

describe('the pauses of a waiter', () => {
  it('never reach past its own time, nor past the end of the lease that it waits for', () => {
    checkProperty(
      fc.property(chances, looks, fc.integer({ min: 1, max: 60_000 }), (drawn, seen, waitMs) => {
        const { pacing, pass } = scene(waitMs, drawn);
        for (const { changed, untilExpiryMs } of seen) {
          const pauseMs = pacing.nextDelayMs(untilExpiryMs);
          expect(pauseMs).toBeGreaterThanOrEqual(0);
          expect(pauseMs).toBeLessThanOrEqual(pacing.leftMs);
          expect(pauseMs).toBeLessThanOrEqual(Math.max(1, untilExpiryMs));
          pass(pauseMs);
          if (changed) pacing.reset();
        }
      }),
    );
  });

  it('are between the shortest and the longest that the client has, where nothing is nearer', () => {
    checkProperty(
      fc.property(chances, looks, (drawn, seen) => {
        const { pacing, pass } = scene(10_000_000, drawn);
        for (const { changed } of seen) {
          const pauseMs = pacing.nextDelayMs();
          expect(pauseMs).toBeGreaterThanOrEqual(pollFloorMs);
          expect(pauseMs).toBeLessThanOrEqual(pollCeilingMs);
          pass(pauseMs);
          if (changed) pacing.reset();
        }
      }),
    );
  });

  it('miss no more than a quarter of a hold, or three of the shortest pauses, where the first is waited for', () => {
    checkProperty(
      fc.property(chances, fc.integer({ min: 1, max: 40 }), (drawn, times) => {
        const { pacing, pass } = scene(10_000_000, drawn);
        let heldMs = 0;
        for (let time = 0; time < times; time++) {
          const pauseMs = pacing.nextDelayMs();
          expect(pauseMs).toBeLessThanOrEqual(Math.max(heldMs / 4, 3 * pollFloorMs));
          pass(pauseMs);
          heldMs += pauseMs;
        }
      }),
    );
  });

  it('become long while nothing happens, and short when the lock changes hands', () => {
    const { pacing, pass } = scene(10_000_000);
    const wait = () => {
      const pauseMs = pacing.nextDelayMs();
      pass(pauseMs);
      return pauseMs;
    };
    for (let time = 0; time < 60; time++) wait();
    expect(wait()).toBe(pollCeilingMs);
    pacing.reset();
    expect(wait()).toBeLessThanOrEqual(3 * pollFloorMs);
  });

  it('are as far apart as a third of what holds last, where several were seen: many wait then', () => {
    const { pacing, pass } = scene(10_000_000);
    for (let time = 0; time < 6; time++) {
      pacing.reset();
      pass(400);
    }
    // Where holds are long the pauses after a change stay below five of the shortest and a half.
    expect(pacing.nextDelayMs()).toBeCloseTo(0.3 * 400, -1);
    for (let time = 0; time < 12; time++) {
      pass(60_000);
      pacing.reset();
    }
    expect(pacing.nextDelayMs()).toBeLessThanOrEqual(7.5 * pollFloorMs);
  });

  it('follow what holds last for the most part: one that is long among short ones makes them little longer', () => {
    const { pacing, pass } = scene(10_000_000);
    for (let time = 0; time < 12; time++) {
      pacing.reset();
      pass(100);
    }
    pass(600);
    pacing.reset();
    // Of about 400, the mean of what it was and of this one.
    expect(pacing.nextDelayMs()).toBeLessThan(0.3 * 450);
    expect(pacing.nextDelayMs()).toBeGreaterThan(0.3 * 350);
  });

  it('are spread by chance, from half of that to half as much again', () => {
    for (const [chance, part] of [
      [0, 0.5],
      [0.5, 1],
      [0.999, 1.5],
    ] as const) {
      const { pacing, pass } = scene(10_000_000, [chance]);
      for (let time = 0; time < 12; time++) {
        pass(10_000);
        pacing.reset();
      }
      // No more than five of the shortest, times chance.
      expect(pacing.nextDelayMs()).toBeCloseTo(5 * pollFloorMs * part, -1);
    }
  });

  it('count the time that was waited by the clock that ran the most', () => {
    const time = new HandClocks();
    const clock = new StoreClock(time);
    const pacing = new WaitPacing(clock, time, { waitMs: 1_000, pollFloorMs, pollCeilingMs });
    time.move(10, 300);
    expect(pacing.waitedMs).toBeGreaterThanOrEqual(300);
    expect(pacing.leftMs).toBeLessThanOrEqual(700);
    time.move(5_000, 0);
    expect(pacing.leftMs).toBe(0);
    expect(pacing.nextDelayMs()).toBe(0);
  });

  it('begin when the call did, where that was earlier', () => {
    const time = new HandClocks();
    const clock = new StoreClock(time);
    const since = clock.instant();
    time.move(400, 400);
    const pacing = new WaitPacing(clock, time, { waitMs: 1_000, pollFloorMs, pollCeilingMs, since });
    expect(pacing.leftMs).toBeLessThanOrEqual(600);
  });
});
