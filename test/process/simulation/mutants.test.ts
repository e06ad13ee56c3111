import { describe, expect, it } from 'vitest';
import { staleTexts } from '../../mutants/simulation/check-texts.js';
import { hunt } from '../../mutants/simulation/hunt.js';
import { mutants } from '../../mutants/simulation/index.js';

/** Of each part of the protocol one that is caught within a few schedules. */
const quick = [
  'taker: by the earliest store time, not the latest',
  'acquire: a lease that runs may not be taken',
  'token: rises with every grant',
  'claim: written ahead of the work',
];

describe('the mutants of the simulation', () => {
  it('are at least forty, each with a name of its own, and their texts stand in the code', async () => {
    expect(mutants.length).toBeGreaterThanOrEqual(40);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    expect(await staleTexts(process.cwd(), mutants)).toEqual([]);
  });

  it.each(quick)('%s: its absence is caught', async (name) => {
    const mutant = mutants.find((candidate) => candidate.name === name)!;
    expect(await hunt(mutant, 1, 300)).toMatchObject({ isCaught: true });
  });
});
