import { describe, expect, it } from 'vitest';
import { faultKinds } from '../../chaos/faults/fault.js';
import { planFaults } from '../../chaos/faults/plan-faults.js';

const minute = { workers: 12, durationMs: 60_000 };

describe('the plan of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planFaults({ seed: 7, ...minute })).toEqual(planFaults({ seed: 7, ...minute }));
    expect(planFaults({ seed: 7, ...minute })).not.toEqual(planFaults({ seed: 8, ...minute }));
  });

  it('begins the same way, however long the run', () => {
    const short = planFaults({ seed: 7, workers: 12, durationMs: 20_000 });

    expect(planFaults({ seed: 7, ...minute }).slice(0, short.length)).toEqual(short);
  });

  it.each([1, 2, 3, 4, 5])(
    'has every kind within a minute, within its time and workers (seed %i)',
    (seed) => {
      const faults = planFaults({ seed, ...minute });

      expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(faultKinds));
      expect(faults.every(({ atMs, worker }) => atMs < 60_000 && worker >= 0 && worker < 12)).toBe(true);
    },
  );
});
