import { describe, expect, it } from 'vitest';
import { play, type Suite, watchForStrays } from '../../simulation/run/play.js';
import { bySize } from '../../support/size.js';

/** Of each kind of trouble some; the longest run is `npm run sim`. */
const seeds: Readonly<Record<Suite, number>> = bySize({
  short: { lock: 25, 'hand-over': 12, service: 8, scan: 6 },
  long: { lock: 400, 'hand-over': 100, service: 60, scan: 40 },
});

describe.each<Suite>(['lock', 'hand-over', 'service', 'scan'])('the simulation of %s schedules', (suite) => {
  watchForStrays();

  it('I1 to I8: no rule is broken in any of them', async () => {
    for (let seed = 1; seed <= seeds[suite]; seed++) {
      const { violations } = await play(suite, seed);
      expect(violations, `npm run sim -- --suite ${suite} --seed ${seed} --trace`).toEqual([]);
    }
  });

  it('the same seed gives the same schedule, event by event, with a trace or without', async () => {
    const traceOf = async (seed: number) => {
      const lines: string[] = [];
      const { records } = await play(suite, seed, (...line) => lines.push(line.join(' ')));
      return { records, lines };
    };
    for (const seed of bySize({ short: [3, 11], long: [3, 11, 19, 27] })) {
      const first = await traceOf(seed);
      expect(await traceOf(seed)).toEqual(first);
      expect((await play(suite, seed)).records).toBe(first.records);
      expect(first.lines.length).toBeGreaterThan(10);
    }
  });
});
