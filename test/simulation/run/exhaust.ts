import type { Budget } from '../exhaustive/small-world.js';
import { bundleSimulator } from './bundle.js';
import { runSmall, type SmallResult } from './run-small.js';

/** How much may befall a run, and for how long to go on. */
export interface ExhaustOptions {
  readonly threads: number;
  readonly minutes: number;
  readonly json?: boolean;
  /** Of the four kinds of trouble so many may come together. */
  readonly together: number;
  /** These together only, separated by commas. */
  readonly trouble?: string;
}

const kinds = ['crashes', 'losses', 'doubles', 'pauses'] as const;

function budgetOf(chosen: readonly string[]): Budget {
  const budget = { crashes: 0, losses: 0, doubles: 0, pauses: 0 };
  for (const kind of kinds) if (chosen.includes(kind)) budget[kind] = 1;
  return budget;
}

/** Budgets of so many kinds of trouble together, each once. */
export function budgetsOf(together: number): readonly Budget[] {
  const budgets: Budget[] = [];
  for (let bits = 0; bits < 2 ** kinds.length; bits++) {
    const chosen = kinds.filter((_, index) => bits & (1 << index));
    if (chosen.length !== together) continue;
    budgets.push(budgetOf(chosen));
  }
  return budgets;
}

/** Plays every run of all small worlds, and tells how many there were. Answers whether all were played and no rule was broken. */
export async function exhaust({
  threads,
  minutes,
  json,
  together,
  trouble,
}: ExhaustOptions): Promise<boolean> {
  const bundle = await bundleSimulator('exhaustive', [], 'exhaustive-main.ts');
  const endMs = performance.now() + minutes * 60_000;
  let isClean = true;
  let all = 0;
  for (const budget of trouble === undefined ? budgetsOf(together) : [budgetOf(trouble.split(','))]) {
    const results = await runSmall(bundle, [budget], threads, Math.max(0, endMs - performance.now()));
    const runs = results.reduce((sum, result) => sum + result.runs, 0);
    const whole = results.filter(({ isWhole }) => isWhole).length;
    const broken = results.flatMap(({ smallCase, violations }) =>
      violations.map((violation) => ({ smallCase, ...violation })),
    );
    all += runs;
    isClean &&= broken.length === 0 && whole === results.length;
    const what = kinds.filter((kind) => budget[kind] > 0).join(', ') || 'no trouble';
    if (json) console.log(JSON.stringify({ budget, runs, whole, of: results.length, broken }));
    else {
      console.log(`${what}: ${runs} runs of ${results.length} small worlds, ${shown(results, whole)}`);
      for (const { smallCase, path, what: rule } of broken.slice(0, 5))
        console.log(`  ${JSON.stringify(smallCase)} ${path.join(' ')}: ${rule}`);
      if (broken.length > 5) console.log(`  … and ${broken.length - 5} more`);
    }
  }
  if (!json) console.log(`${all} runs, ${isClean ? 'all played, no rule broken' : 'NOT clean or not all'}`);
  return isClean;
}

function shown(results: readonly SmallResult[], whole: number): string {
  return whole === results.length
    ? 'all that there are'
    : `all that there are of ${whole}, and some of the others: time was over`;
}
