import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { huntMutants } from '../mutants/simulation/hunt-mutants.js';
import type { Suite } from './run/play.js';
import { replay } from './run/replay.js';
import { simulate } from './run/simulate.js';

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly seed?: number;
  readonly suite?: Suite;
  readonly threads: number;
  readonly trace?: boolean;
  readonly whole?: boolean;
  readonly mutants?: boolean;
  readonly only?: string;
  readonly most: number;
  readonly json?: boolean;
}

const options = new Command('sim')
  .description('Plays schedules of locks and scans from their seeds and checks their histories.')
  .option('--seeds <number>', 'how many schedules', whole, 2_000)
  .option('--from <number>', 'the first seed', whole, 1)
  .option('--seed <number>', 'play this one only', whole)
  .option('--trace', 'print what happens in it; of one that breaks a rule, what that takes')
  .option('--whole', 'with --trace: all of it, as it was drawn')
  .addOption(new Option('--suite <suite>', 'default: all').choices(['lock', 'hand-over', 'service', 'scan']))
  .option('--mutants', 'take the protections out one at a time and see whether it is noticed')
  .option('--only <words>', 'mutants whose name contains these words')
  .option('--most <number>', 'schedules before a mutant counts as missed', whole, 20_000)
  .option('--threads <number>', 'worker threads', whole, availableParallelism())
  .option('--json', 'one JSON object at the end, nothing else on stdout')
  .addHelpText(
    'after',
    `
Examples:
  npm run sim -- --seeds 100000
  npm run sim -- --suite scan --from 5000 --seeds 1000 --json
  npm run sim -- --suite lock --seed 4711 --trace
  npm run sim -- --mutants --only supersede

Of lines and scans there is one schedule to ten of locks, unless a suite is named.
Ends with 1 when a rule was broken, or a mutant was not caught.`,
  )
  .parse()
  .opts<Options>();

// `--trace | head`: whoever reads has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const suites: readonly Suite[] = options.suite ? [options.suite] : ['lock', 'hand-over', 'service', 'scan'];
const isClean = options.mutants
  ? await huntMutants(options, suites)
  : options.seed !== undefined
    ? await replay(suites[0]!, options.seed, options)
    : await simulate(options, suites);
process.exitCode = isClean ? 0 : 1;

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is wanted');
  return value;
}
