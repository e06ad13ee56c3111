import { rm } from 'node:fs/promises';
import { bundleSimulator } from '../../simulation/run/bundle.js';
import { runSeeds } from '../../simulation/run/run-seeds.js';
import type { Mutant } from './mutant.js';

/** What became of a mutant. */
export interface Hunted {
  readonly name: string;
  readonly suite: string;
  readonly isCaught: boolean;
  /** The seed that caught it. */
  readonly seed: number | undefined;
  /** Schedules until then. */
  readonly schedules: number;
  readonly rule: string | undefined;
  readonly what: string | undefined;
}

/** Plays schedules of a mutant until one breaks a rule, or `most` have not. */
export async function hunt(mutant: Mutant, from: number, most: number): Promise<Hunted> {
  const { name, suite, changes } = mutant;
  const bundle = await bundleSimulator(`mutant-${name}`, changes);
  try {
    const order = { suite, from, until: from + most, stopsAtFirst: true };
    const { played, violations } = await runSeeds(bundle, order, 1);
    const [first] = violations;
    const violation = first?.violations[0];
    return {
      name,
      suite,
      isCaught: first !== undefined,
      seed: first?.seed,
      schedules: played,
      rule: violation?.rule,
      what: violation?.what,
    };
  } finally {
    await rm(bundle, { force: true });
  }
}
