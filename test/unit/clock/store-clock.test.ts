import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSkewMs, driftBound, elapsedBetween, StoreClock } from '../../../lib/clock/store-clock.js';
import { dateAt, HandClocks } from '../../support/hand-clocks.js';
import { checkProperty } from '../../support/property.js';
import { anyLapse, honest, Machine, TrueTime } from '../../support/true-time.js';

const start = 1_700_000_000_000;
/** What a double can't tell apart at these sizes. */
const rounding = 0.01;

/** A clock that saw two responses at once, one at each end of a second: its interval is a moment. */
function preciseClock() {
  const runtime = new HandClocks();
  const clock = new StoreClock(runtime);
  clock.observe(clock.instant(), dateAt(start + 999));
  runtime.move(1, 1);
  clock.observe(clock.instant(), dateAt(start + 1_000));
  return { runtime, clock };
}

function expectTruth(machine: Machine, time: TrueTime): void {
  const { earliest, latest } = machine.clock.now();
  expect(earliest).toBeLessThanOrEqual(time.now + rounding);
  expect(latest).toBeGreaterThanOrEqual(time.now - rounding);
}

describe('StoreClock', () => {
  it('has no time before the first response, and none from a header that is no date', () => {
    const clock = new StoreClock(new HandClocks());
    expect(() => clock.now()).toThrow('before the first response');
    clock.observe(clock.instant(), undefined);
    clock.observe(clock.instant(), 'yesterday');
    expect(clock.isSet).toBe(false);
    clock.observe(clock.instant(), dateAt(start));
    expect(clock.now()).toEqual({ earliest: start, latest: start + 1_000 });
  });

  it('counts the time from before the request was sent: a slow answer proves less', () => {
    const runtime = new HandClocks();
    const clock = new StoreClock(runtime);
    const sentAt = clock.instant();
    runtime.move(3_000, 3_000);
    clock.observe(sentAt, dateAt(start));
    expect(clock.now().earliest).toBe(start);
    expect(clock.now().latest).toBeCloseTo(start + 1_000 + 3_000 / (1 - driftBound), 3);
  });

  it('narrows to a moment with responses from both ends of a second', () => {
    const { earliest, latest } = preciseClock().clock.now();
    expect(latest - earliest).toBeLessThan(1.1);
  });

  it('moves earliest by the smaller elapsed time: a wall clock that stepped forward does not hurry it', () => {
    const { runtime, clock } = preciseClock();
    const { earliest, latest } = clock.now();
    runtime.move(100, 3_600_100);
    expect(clock.now().earliest).toBeLessThanOrEqual(earliest + 100);
    expect(clock.now().latest).toBeGreaterThanOrEqual(latest + 3_600_000);
  });

  it('moves earliest by the smaller elapsed time: a monotonic clock that ran on alone does not hurry it', () => {
    const { runtime, clock } = preciseClock();
    const { earliest } = clock.now();
    runtime.move(3_600_000, 0);
    expect(clock.now().earliest).toBe(earliest);
  });

  it('moves latest by the larger elapsed time: a monotonic clock that stood still does not hold it up', () => {
    const { runtime, clock } = preciseClock();
    const { latest } = clock.now();
    runtime.move(0, 60_000);
    expect(clock.now().latest).toBeGreaterThanOrEqual(latest + 60_000);
  });

  it('moves latest by the larger elapsed time: a wall clock that was set back does not hold it up', () => {
    const { runtime, clock } = preciseClock();
    const { earliest, latest } = clock.now();
    runtime.move(60_000, -3_600_000);
    expect(clock.now().latest).toBeGreaterThanOrEqual(latest + 60_000);
    expect(clock.now().earliest).toBe(earliest);
  });

  it('starts again from the newest response when two contradict each other', () => {
    const { runtime, clock } = preciseClock();
    runtime.move(10, 10);
    clock.observe(clock.instant(), dateAt(start - 3_600_000));
    expect(clock.now()).toEqual({ earliest: start - 3_600_000, latest: start - 3_600_000 + 1_000 });
    clock.observe(clock.instant(), dateAt(start + 3_600_000));
    expect(clock.now()).toEqual({ earliest: start + 3_600_000, latest: start + 3_600_000 + 1_000 });
  });

  it('front ends that disagree within skewMs are no jump: both bounds stand, and latest does not rise', () => {
    const { runtime, clock } = preciseClock();
    runtime.move(600, 600);
    const before = clock.now();
    // By this one, which is ahead by 450, the next second has begun.
    clock.observe(clock.instant(), dateAt(start + 2_050));
    expect(clock.now()).toEqual({ earliest: start + 2_000, latest: before.latest });
    expect(clock.now().earliest).toBeGreaterThan(clock.now().latest);
  });

  it.each([
    ['beyond skewMs start the clock again', 499, 3_000],
    ['within skewMs do not', 501, 1_500],
  ])('responses that contradict each other %s', (_, skewMs, latest) => {
    const runtime = new HandClocks();
    const clock = new StoreClock(runtime, skewMs);
    clock.observe(clock.instant(), dateAt(start + 999));
    runtime.move(500, 500);
    clock.observe(clock.instant(), dateAt(start + 2_000));
    // By the first one it is 1,500 now at most, by the second one 2,000 at least.
    expect(Math.round(clock.now().latest - start)).toBe(latest);
  });

  it('widens by the drift bound', () => {
    const { runtime, clock } = preciseClock();
    const before = clock.now();
    runtime.move(1_000_000, 1_000_000);
    expect(clock.now().earliest).toBeCloseTo(before.earliest + 1_000_000 / (1 + driftBound), 3);
    expect(clock.now().latest).toBeCloseTo(before.latest + 1_000_000 / (1 - driftBound), 3);
  });

  it('property: true time lies in the interval, whatever the answers, the drift, the freezes and the steps', () => {
    const talk = fc.record({
      there: fc.integer({ min: 0, max: 3_000 }),
      back: fc.integer({ min: 0, max: 3_000 }),
      idle: fc.integer({ min: 0, max: 60_000 }),
      lapse: anyLapse,
    });
    checkProperty(
      fc.property(fc.integer(), fc.array(talk, { minLength: 1, maxLength: 40 }), (wallMs, talks) => {
        const time = new TrueTime();
        const machine = new Machine(time, { wallMs });
        for (const { there, back, idle, lapse } of talks) {
          time.pass(idle, lapse);
          if (machine.clock.isSet) expectTruth(machine, time);
          machine.talk(there, back, lapse);
          expectTruth(machine, time);
        }
      }),
    );
  });

  it('property: more responses never widen what is known, whichever front ends they come from', () => {
    const answer = fc.record({
      pauseMs: fc.integer({ min: 0, max: 5_000 }),
      frontEndAheadMs: fc.integer({ min: 0, max: defaultSkewMs }),
    });
    checkProperty(
      fc.property(fc.array(answer, { minLength: 2, maxLength: 20 }), (answers) => {
        const time = new TrueTime();
        const machine = new Machine(time);
        machine.talk(1, 1);
        for (const { pauseMs, frontEndAheadMs } of answers) {
          time.pass(pauseMs, honest);
          const before = machine.clock.now();
          machine.frontEndAheadMs = frontEndAheadMs;
          machine.talk(0, 0);
          const after = machine.clock.now();
          expect(after.earliest).toBeGreaterThanOrEqual(before.earliest);
          expect(after.latest).toBeLessThanOrEqual(before.latest);
          // By the clock of one front end or another.
          expect(after.earliest).toBeLessThanOrEqual(time.now + defaultSkewMs + rounding);
          expect(after.latest).toBeGreaterThanOrEqual(time.now - rounding);
        }
      }),
    );
  });

  it('property: true elapsed time lies between the bounds, and never runs backwards', () => {
    checkProperty(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), anyLapse, (ms, lapse) => {
        const time = new TrueTime();
        const machine = new Machine(time);
        const from = machine.clock.instant();
        time.pass(ms, lapse);
        const { least, most } = elapsedBetween(from, machine.clock.instant());
        expect(least).toBeGreaterThanOrEqual(0);
        expect(least).toBeLessThanOrEqual(ms + rounding);
        expect(most).toBeGreaterThanOrEqual(ms - rounding);
      }),
    );
  });
});
