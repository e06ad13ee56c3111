import { describe, expect, it } from 'vitest';
import { driftBound, elapsedBetween, StoreClock, type TimeInterval } from '../../../lib/clock/store-clock.js';
import { HandClocks } from '../../support/hand-clocks.js';

const start = 1_700_000_000_000;

function clockThatLearned(first: TimeInterval, skewMs?: number) {
  const runtime = new HandClocks();
  const clock = new StoreClock(runtime, skewMs);
  clock.learn(clock.instant(), first);
  return { runtime, clock };
}

const between = (earliest: number, latest: number) => ({
  earliest: start + earliest,
  latest: start + latest,
});

describe('what a clock learns from another’s', () => {
  it('held at some moment since the question: it may have got later meanwhile, and no earlier', () => {
    const runtime = new HandClocks();
    const clock = new StoreClock(runtime);
    const asked = clock.instant();
    runtime.move(200, 100);
    clock.learn(asked, between(0, 50));
    expect(clock.isSet).toBe(true);
    expect(clock.now()).toEqual(between(0, 50 + 200 / (1 - driftBound)));
  });

  it('is intersected with what was known, moved forward to now', () => {
    const { runtime, clock } = clockThatLearned(between(0, 1_000));
    runtime.move(100, 100);
    clock.learn(clock.instant(), between(50, 600));
    expect(clock.now()).toEqual(between(100 / (1 + driftBound), 600));
    clock.learn(clock.instant(), between(300, 5_000));
    expect(clock.now()).toEqual(between(300, 600));
  });

  it('may contradict what was known by the skew of the front ends, and no more', () => {
    for (const [skewMs, allowed] of [
      [undefined, 500],
      [0, 0],
      [70, 70],
    ] as const) {
      const behind = clockThatLearned(between(1_000, 2_000), skewMs).clock;
      behind.learn(behind.instant(), between(500, 1_000 - allowed));
      expect(behind.now()).toEqual(between(1_000, 1_000 - allowed));
      const jumped = clockThatLearned(between(1_000, 2_000), skewMs).clock;
      jumped.learn(jumped.instant(), between(-500, 999 - allowed));
      expect(jumped.now()).toEqual(between(-500, 999 - allowed));
      const ahead = clockThatLearned(between(1_000, 2_000), skewMs).clock;
      ahead.learn(ahead.instant(), between(2_001 + allowed, 9_000));
      expect(ahead.now()).toEqual(between(2_001 + allowed, 9_000));
    }
  });
});

describe('elapsed time', () => {
  const at = (monotonicMs: number, wallMs: number) => ({ monotonicMs, wallMs });

  it('lies between the two clocks’, each off by the drift bound', () => {
    expect(elapsedBetween(at(0, 0), at(100, 300))).toEqual({
      least: 100 / (1 + driftBound),
      most: 300 / (1 - driftBound),
    });
    expect(elapsedBetween(at(5, 7), at(305, 107))).toEqual({
      least: 100 / (1 + driftBound),
      most: 300 / (1 - driftBound),
    });
  });

  it('is nothing by a clock that stepped back', () => {
    expect(elapsedBetween(at(100, 100), at(50, 150))).toEqual({ least: 0, most: 50 / (1 - driftBound) });
    expect(elapsedBetween(at(100, 100), at(150, 50))).toEqual({ least: 0, most: 50 / (1 - driftBound) });
    expect(elapsedBetween(at(100, 100), at(50, 50))).toEqual({ least: 0, most: 0 });
  });

  it('is judged by a bound of 500 parts in a million', () => {
    expect(driftBound).toBe(0.0005);
  });
});
