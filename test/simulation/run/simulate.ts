import { bundleSimulator } from './bundle.js';
import type { Suite } from './play.js';
import { Progress } from './progress.js';
import { runSeeds, type SeedsResult } from './run-seeds.js';
import { wantedKinds } from './wanted-kinds.js';

/** How many, from where, and how to tell. */
export interface SimulateOptions {
  readonly seeds: number;
  readonly from: number;
  readonly threads: number;
  readonly json?: boolean;
  /** A kind of trouble or of outcome that is wanted and never came counts as a violation. */
  readonly strict?: boolean;
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
    const missing = result.tally.findMissing(wantedKinds[suite]);
    isClean &&= result.violations.length === 0 && !(options.strict && missing.length > 0);
    if (!options.json) print(suite, result, tookMs, missing, options);
    const { played, records, violations, cpuMs, tally } = result;
    const rates = { perSecond: (1000 * played) / tookMs, perCpuSecond: (1000 * played) / cpuMs };
    results.push({
      suite,
      from: options.from,
      played,
      records,
      tookMs,
      ...rates,
      violations,
      counts: tally.counts,
      missing,
    });
  }
  if (options.json) console.log(JSON.stringify({ isClean, threads: options.threads, results }));
  return isClean;
}

function print(
  suite: Suite,
  result: SeedsResult,
  tookMs: number,
  missing: readonly string[],
  { from, threads }: SimulateOptions,
): void {
  const { played, violations, cpuMs, records } = result;
  for (const { seed, violations: broken } of violations.slice(0, maxShown)) {
    for (const { rule, what } of broken.slice(0, 3)) console.log(`${suite} seed ${seed}: ${rule}: ${what}`);
    console.log(`  replay: npm run sim -- --suite ${suite} --seed ${seed} --trace`);
  }
  for (const line of shownCounts(result.tally.counts)) console.log(`  ${line}`);
  for (const kind of missing) console.log(`${suite}: NEVER came: ${kind}`);
  if (violations.length > maxShown) console.log(`… and ${violations.length - maxShown} seeds more`);
  console.log(
    `${suite}: ${played} schedules from seed ${from}, ${records} records, ${violations.length} with violations; ` +
      `${((1000 * played) / tookMs).toFixed(0)} a second on ${threads} threads ` +
      `(${((1000 * played) / cpuMs).toFixed(0)} for each second of CPU)`,
  );
}

/** A line for each thing that can be counted, with its kinds and how often each came. */
function shownCounts(counts: Readonly<Record<string, number>>): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const [kind, count] of Object.entries(counts)) {
    const [, group, rest] = /^(call: \w+|\w+:)(.*)$/.exec(kind)!;
    const parts = lines.get(group!) ?? [];
    lines.set(group!, parts);
    parts.push(`${rest!.trim()} ${count}`);
  }
  return [...lines].map(([group, parts]) => `${group.replace(/:?$/, ':')} ${parts.join('; ')}`);
}
