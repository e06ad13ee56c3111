import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Progress } from '../simulation/run/progress.js';
import { judgeBySchedules, type Schedules } from './judges/by-schedules.js';
import { findFailingAnyway, judgeByTests } from './judges/by-tests.js';
import { list, report } from './print.js';
import type { NoticingSuite, NoticingTest, Removal, Witness } from './removal.js';
import { removals } from './removals/index.js';
import type { Verdict } from './verdict.js';

interface Options extends Schedules {
  readonly suite?: string;
  readonly only?: readonly string[];
  readonly list?: boolean;
  readonly json?: boolean;
  readonly threads: number;
}

const repository = join(import.meta.dirname, '..', '..');
const options = new Command('mutants')
  .description(
    'Takes the protections of the code out, one at a time, and looks whether their tests and the simulator notice.',
  )
  .addOption(
    new Option('--suite <suite>', 'those that this one is to notice; default: all').choices([
      ...['lock', 'hand-over', 'service', 'scan', 'tests'],
    ]),
  )
  .option('--only <words...>', 'those whose name contains these words, or one of several such texts')
  .option('--list', 'what there is; takes nothing out')
  .option('--json', 'one JSON object at the end, nothing else on stdout')
  .option('--from <number>', 'the first seed', toWhole, 1)
  .option('--max-schedules <number>', 'schedules until one counts as unnoticed', toWhole, 20_000)
  .option('--threads <number>', 'how many at once', toWhole, Math.min(2, availableParallelism()))
  .addHelpText(
    'after',
    `
Examples:
  npm run mutants
  npm run mutants -- --list --only clock:
  npm run mutants -- --suite tests --only "late duplicate" "(D05)"
  npm run mutants -- --suite scan --json

Ends with 1 when a removal was not noticed, or a test fails with nothing taken out.`,
  )
  .parse()
  .opts<Options>();

// `--list | head`: whoever reads has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const isWanted = (witness: Witness) =>
  options.suite === undefined || options.suite === ('suite' in witness ? witness.suite : 'tests');
const chosen = removals.filter(
  ({ name, noticedBy }) =>
    (options.only ?? ['']).some((words) => name.includes(words)) && noticedBy.some(isWanted),
);
if (chosen.length === 0) {
  console.error('no removal is called that; --list shows what there is');
  process.exitCode = 1;
} else if (options.list) list(chosen, options.json);
else {
  const tests = chosen.flatMap(({ noticedBy }) => testsAmong(noticedBy));
  const failing = await findFailingAnyway(repository, tests);
  process.exitCode = report(await judgeAll(), failing, options.json) ? 0 : 1;
}

function testsAmong(witnesses: readonly Witness[]): NoticingTest[] {
  return witnesses.filter(isWanted).filter((witness): witness is NoticingTest => 'title' in witness);
}

function suitesAmong(witnesses: readonly Witness[]): NoticingSuite[] {
  return witnesses.filter(isWanted).filter((witness): witness is NoticingSuite => 'suite' in witness);
}

async function judge(removal: Removal): Promise<readonly Verdict[]> {
  const tests = testsAmong(removal.noticedBy);
  const verdicts = tests.length === 0 ? [] : await judgeByTests(repository, removal, tests);
  const played: Verdict[] = [];
  for (const suite of suitesAmong(removal.noticedBy)) {
    played.push(await judgeBySchedules(removal, suite, options));
  }
  return [...verdicts, ...played];
}

async function judgeAll(): Promise<readonly Verdict[]> {
  const left = [...chosen];
  const done = new Map<Removal, readonly Verdict[]>();
  const progress = new Progress('removals', chosen.length);
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      done.set(next, await judge(next));
      progress.add(1);
    }
  };
  await Promise.all(Array.from({ length: options.threads }, work));
  progress.end();
  return chosen.flatMap((removal) => done.get(removal)!);
}

function toWhole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is wanted');
  return value;
}
