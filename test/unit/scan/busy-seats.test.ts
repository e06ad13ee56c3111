import { expect, it } from 'vitest';
import { layouts } from '../../bench/scan/layouts.js';
import { playScan } from '../../bench/scan/play-scan.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

// The planner sees little of these keys: without seats that steal, one of them does most of the work. In virtual time, and
// with fifty pages a seat, where the beginning and the end weigh more than in a real scan.
it.each([
  ['dates-zipf', 0.81, 0.15],
  ['unicode', 0.77, 0.16],
  ['deep-folders', 0.78, 0.19],
])(
  'eight seats are kept busy at the price of few requests, and hand out each key once: %s',
  async (name, efficiency, extra) => {
    const played = await playScan(layouts[name]!(8_000), { workers: 8, pageSize: 20 });
    expect(played.efficiency).toBeGreaterThan(efficiency);
    expect(played.extra).toBeLessThan(extra);
    expect(played.writesPerPage).toBeLessThan(2.3);
    expect(played.itemsReadPerPage).toBeLessThan(3);
    // A seat that has nothing left to steal ends, and soon.
    expect(played.seatsMs).toBeLessThan(played.tookMs + 1_000);
    expect(played.rounds).toBe(1);
  },
);
