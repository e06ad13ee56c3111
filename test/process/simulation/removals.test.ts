import { describe, expect, it } from 'vitest';
import { judgeBySchedules } from '../../mutants/judges/by-schedules.js';
import { removals } from '../../mutants/removals/index.js';

/** Of each part of the protocol one that is noticed within a few schedules. */
const quick = [
  { suite: 'lock', name: 'clock: a taker does not come early (I2)' },
  { suite: 'lock', name: 'acquire: a lease that runs may not be taken' },
  { suite: 'lock', name: 'token: the one that was granted is handed out' },
  { suite: 'scan', name: 'claim: written ahead of the work' },
] as const;

describe('the removals that the simulator plays', () => {
  it.each(quick)('$name: its absence is noticed', async ({ suite, name }) => {
    const removal = removals.find((candidate) => candidate.name === name)!;
    const verdict = await judgeBySchedules(removal, { suite }, { from: 1, maxSchedules: 300 });
    expect(verdict).toMatchObject({ outcome: 'noticed' });
  });
});
