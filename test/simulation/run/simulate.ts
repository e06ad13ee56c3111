import { bundleSimulator } from './bundle.js';
import type { Suite } from './play.js';
import { Progress } from './progress.js';
import { runSeeds, type SeedsResult } from './run-seeds.js';

/** How many, from where, and how to tell. */
export interface SimulateOptions {
  readonly seeds: number;
  readonly from: number;
  readonly threads: number;
  readonly json?: boolean;
}

/** Schedules of a scan take so many times as long as those of a lock: a run of all has that many fewer of them. Of lines, too. */
const locksPerOther = 10;

/** Shown of the seeds that broke a rule. */
const maxShown = 20;

/** Plays schedules of the suites on all threads. Answers whether no rule was broken. */
export async function simulate(options: SimulateOptions, suites: readonly Suite[]): Promise<boolean> {
  const bundle = await bundleSimulator('plain');
  const results: Record<string, unknown>[] = [];
  let isClean = true;
  for (const suite of suites) {
    const seeds =
      suites.length > 1 && suite !== 'lock' ? Math.ceil(options.seeds / locksPerOther) : options.seeds;
    const progress = new Progress(suite, seeds);
    const startMs = performance.now();
    const order = { suite, from: options.from, until: options.from + seeds, stopsAtFirst: false };
    const result = await runSeeds(bundle, order, options.threads, (played) => progress.add(played));
    progress.end();
    const tookMs = performance.now() - startMs;
    isClean &&= result.violations.length === 0;
    if (!options.json) print(suite, result, tookMs, options);
    const { played, records, violations, cpuMs } = result;
    const rates = { perSecond: (1000 * played) / tookMs, perCpuSecond: (1000 * played) / cpuMs };
    results.push({ suite, from: options.from, played, records, tookMs, ...rates, violations });
  }
  if (options.json) console.log(JSON.stringify({ isClean, threads: options.threads, results }));
  return isClean;
}

function print(suite: Suite, result: SeedsResult, tookMs: number, { from, threads }: SimulateOptions): void {
  const { played, violations, cpuMs, records } = result;
  for (const { seed, violations: broken } of violations.slice(0, maxShown)) {
    for (const { rule, what } of broken.slice(0, 3)) console.log(`${suite} seed ${seed}: ${rule}: ${what}`);
    console.log(`  replay: npm run sim -- --suite ${suite} --seed ${seed} --trace`);
  }
  if (violations.length > maxShown) console.log(`… and ${violations.length - maxShown} seeds more`);
  console.log(
    `${suite}: ${played} schedules from seed ${from}, ${records} records, ${violations.length} with violations; ` +
      `${((1000 * played) / tookMs).toFixed(0)} a second on ${threads} threads ` +
      `(${((1000 * played) / cpuMs).toFixed(0)} for each second of CPU)`,
  );
}
