import Table from 'cli-table3';
import type { Suite } from '../../simulation/run/play.js';
import { Progress } from '../../simulation/run/progress.js';
import { type Hunted, hunt } from './hunt.js';
import { mutants } from './index.js';
import type { Mutant } from './mutant.js';

/** Which mutants, and how long to look for each. */
export interface HuntOptions {
  readonly only?: string;
  readonly from: number;
  readonly most: number;
  readonly threads: number;
  readonly json?: boolean;
}

/** Hunts mutants, one on each thread. Answers whether all were caught. */
export async function huntMutants(options: HuntOptions, suites: readonly Suite[]): Promise<boolean> {
  const wanted = mutants.filter(
    ({ name, suite }) => suites.includes(suite) && name.includes(options.only ?? ''),
  );
  const hunted = new Map<Mutant, Hunted>();
  const left = [...wanted];
  const progress = new Progress('mutants', wanted.length);
  const lane = async () => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      hunted.set(mutant, await hunt(mutant, options.from, options.most));
      progress.add(1);
    }
  };
  await Promise.all(Array.from({ length: options.threads }, lane));
  progress.end();
  const results = wanted.map((mutant) => hunted.get(mutant)!);
  const missed = results.filter(({ isCaught }) => !isCaught);
  if (options.json)
    console.log(JSON.stringify({ isClean: missed.length === 0, most: options.most, results }));
  else print(results, missed.length);
  return missed.length === 0 && results.length > 0;
}

function print(results: readonly Hunted[], missed: number): void {
  const table = new Table({
    head: ['taken out', 'suite', 'seed', 'schedules', 'rule'],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, suite, seed, schedules, rule } of results) {
    table.push([name, suite, seed ?? 'MISSED', schedules, rule ?? '']);
  }
  console.log(table.toString());
  console.log(`${results.length - missed} of ${results.length} protections: their absence was caught`);
}
