import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { runSample } from './sample/run-sample.js';
import { compared } from './stryker/compare.js';
import { excuses } from './stryker/excuses.js';
import { withFigures } from './stryker/page.js';
import { type StrykerReport, scoresOf, survivorsOf } from './stryker/report.js';

interface Options {
  readonly mutate?: string;
  readonly force?: boolean;
  readonly report?: boolean;
  readonly sample?: number;
  readonly seed: number;
  readonly folder?: string;
  readonly each?: boolean;
  readonly schedules: number;
  readonly slower: boolean;
  readonly only?: string;
  readonly seconds: number;
  readonly wanted: number;
  readonly threads: number;
  readonly json?: boolean;
}

const repository = join(import.meta.dirname, '..', '..');
const values = new Command('mutation')
  .description(
    'Mutates the pure core, and fails for a mutant that lives without a written reason, or a reason without its mutant. ' +
      'With --sample: draws mutants at random over all that decides, and prints the score of each folder. ' +
      'Results are kept: a second run tries only what has changed.',
  )
  .option('--mutate <files>', 'these only, separated by commas; leaves docs/mutation.md as it is')
  .option('--force', 'try all again')
  .option('--report', 'try none: compare and write what the last run found')
  .option('--sample <number>', 'draw so many mutants at random over all that decides', Number)
  .option('--seed <number>', 'of the sample', Number, 1)
  .option('--folder <path>', 'of the sample: this folder only')
  .option('--each', 'of the sample: so many of each folder')
  .option('--only <text>', 'of the sample: those alone whose place or line has this text')
  .option('--schedules <number>', 'of the sample: schedules of each suite that plays the code', Number, 200)
  .option('--seconds <number>', 'of the sample: tests of one mutant take no longer together', Number, 60)
  .option('--no-slower', 'of the sample: not on engines')
  .option('--wanted <percent>', 'of the sample: fails if a folder, or all, certainly has less', Number, 0)
  .option('--threads <number>', 'of the sample: how many at once', Number, 2)
  .option('--json', 'of the sample: one JSON object')
  .addHelpText(
    'after',
    `
Examples:
  npm run mutation -- --sample 400 --seed 1
  npm run mutation -- --sample 40 --folder lib/fence
  npm run mutation -- --sample 25 --each --seed 2
  npm run mutation
  npm run mutation -- --mutate lib/lease/conditions.ts`,
  )
  .parse()
  .opts<Options>();

if (values.sample === undefined) await mutatePureCore();
else {
  const options = { ...values, sample: values.sample, maxMs: values.seconds * 1_000 };
  process.exitCode = (await runSample(repository, options, values.wanted)) ? 0 : 1;
}

async function mutatePureCore(): Promise<void> {
  const code = values.report ? 0 : await stryker();
  const text = await readFile(join(repository, '.leasehold/mutation/report.json'), 'utf8');
  const report: StrykerReport = JSON.parse(text);
  const survivors = survivorsOf(report);
  const { unexplained, outdated } = compared(survivors, excuses, Object.keys(report.files));
  for (const survivor of unexplained) console.log(`no reason: ${JSON.stringify(survivor)}`);
  for (const { reason: _, ...excuse } of outdated)
    console.log(`does not live any more: ${JSON.stringify(excuse)}`);
  if (values.mutate === undefined) {
    const page = join(repository, 'docs/mutation.md');
    await writeFile(page, withFigures(await readFile(page, 'utf8'), scoresOf(report), survivors, excuses));
  }
  console.log(
    `${survivors.length} survivors: ${unexplained.length} without a reason, ${outdated.length} reasons too many`,
  );
  process.exitCode = unexplained.length + outdated.length > 0 ? 1 : code;
}

/** Runs it. Answers its exit code: 1 if the score is below the threshold. */
async function stryker(): Promise<number> {
  const manifest = createRequire(import.meta.url).resolve('@stryker-mutator/core/package.json');
  const command = [join(dirname(manifest), 'bin/stryker.js'), 'run'];
  if (values.mutate !== undefined) command.push('--mutate', values.mutate);
  if (values.force) command.push('--force');
  const child = spawn(process.execPath, command, { cwd: repository, stdio: 'inherit' });
  const [exitCode] = await once(child, 'exit');
  return exitCode ?? 1;
}
