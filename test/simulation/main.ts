import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { bundleSimulator } from './run/bundle.js';
import { exhaust } from './run/exhaust.js';
import type { Suite } from './run/play.js';
import { simulate } from './run/simulate.js';

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly seed?: number;
  readonly suite?: Suite;
  readonly threads: number;
  readonly trace?: boolean;
  readonly whole?: boolean;
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly exhaustive?: boolean;
  readonly together: number;
  readonly trouble?: string;
  readonly minutes: number;
}

const options = new Command('sim')
  .description('Plays schedules of locks and scans from their seeds and checks their histories.')
  .option('--seeds <number>', 'how many schedules', whole, 2_000)
  .option('--from <number>', 'the first seed', whole, 1)
  .option('--seed <number>', 'play this one only', whole)
  .option('--trace', 'print what happens in it; of one that breaks a rule, what that takes')
  .option('--whole', 'with --trace: all of it, as it was drawn')
  .addOption(new Option('--suite <suite>', 'default: all').choices(['lock', 'hand-over', 'service', 'scan']))
  .option('--threads <number>', 'worker threads', whole, availableParallelism())
  .option('--strict', 'fail, too, if a kind of trouble or of outcome that is wanted never came')
  .option('--exhaustive', 'every run of small worlds instead: two clients, one name, two operations each')
  .option(
    '--together <number>',
    'with --exhaustive: so many of a crash, a lost message, a doubled one, a long pause',
    whole,
    2,
  )
  .option('--trouble <kinds>', 'with --exhaustive: these together only, of crashes,losses,doubles,pauses')
  .option('--minutes <number>', 'with --exhaustive: for no longer than that', Number, 10)
  .option('--json', 'one JSON object at the end, nothing else on stdout')
  .addHelpText(
    'after',
    `
Examples:
  npm run sim -- --seeds 100000
  npm run sim -- --suite scan --from 5000 --seeds 1000 --json
  npm run sim -- --suite lock --seed 4711 --trace

Of lines and scans there is one schedule to ten of locks, unless a suite is named.
Ends with 1 when a rule was broken.`,
  )
  .parse()
  .opts<Options>();

// `--trace | head`: whoever reads has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const suites: readonly Suite[] = options.suite ? [options.suite] : ['lock', 'hand-over', 'service', 'scan'];
const isClean = options.exhaustive
  ? await exhaust(options)
  : options.seed === undefined
    ? await simulate(options, suites)
    : await replayed(suites[0]!, options.seed);
process.exitCode = isClean ? 0 : 1;

/** In one bundle: what is loaded later would take real time, which no seed knows. */
async function replayed(suite: Suite, seed: number): Promise<boolean> {
  const bundle = pathToFileURL(await bundleSimulator('replay', [], 'replay.ts')).href;
  const { replay } = (await import(bundle)) as typeof import('./run/replay.js');
  return replay(suite, seed, options);
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is wanted');
  return value;
}
