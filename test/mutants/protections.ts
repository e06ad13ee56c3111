import { join } from 'node:path';
import { Command } from 'commander';
import { check, failingAnyway, type Verdict } from './protections/check.js';
import { protections } from './protections/index.js';
import type { Protection } from './protections/protection.js';

const repository = join(import.meta.dirname, '..', '..');
const workers = 2;

const options = new Command('protections')
  .description('Takes each protection of the code out, in a copy, and expects its test to notice.')
  .option('--only <ids>', 'these, separated by commas')
  .option('--list', 'what there is; takes nothing out')
  .option('--json', 'one JSON object at the end, nothing else on stdout')
  .addHelpText(
    'after',
    `
Examples:
  npm run protections
  npm run protections -- --only released,expired --json

Ends with 1 when a removal was not noticed, or a test fails with nothing taken out.`,
  )
  .parse()
  .opts<{ readonly only?: string; readonly list?: boolean; readonly json?: boolean }>();
const chosen = choose(options.only);
if (options.list) {
  list(chosen);
  process.exit();
}

const failing = await failingAnyway(repository, chosen);
for (const name of failing) console.error(`fails or does not run with nothing taken out: ${name}`);

const verdicts = await checkAll(chosen);
const unnoticed = verdicts.filter(({ outcome }) => outcome !== 'noticed');
if (options.json) console.log(JSON.stringify({ verdicts: verdicts.map(shown), failing }));
else {
  print(verdicts);
  console.log(`\n${verdicts.length - unnoticed.length} of ${verdicts.length} removals were noticed`);
}
process.exitCode = unnoticed.length > 0 || failing.length > 0 ? 1 : 0;

function choose(only: string | undefined): readonly Protection[] {
  const ids = new Set(only?.split(','));
  const unknown = [...ids].filter((id) => !protections.some((protection) => protection.id === id));
  if (unknown.length > 0) throw new Error(`no such protection: ${unknown.join(', ')}`);
  const twice = protections.filter(({ id }, i) => protections.findIndex((other) => other.id === id) !== i);
  if (twice.length > 0) throw new Error(`two protections have the id ${twice[0]!.id}`);
  return ids.size === 0 ? protections : protections.filter(({ id }) => ids.has(id));
}

function list(protections: readonly Protection[]): void {
  if (options.json) console.log(JSON.stringify(protections));
  else for (const { id, what, file } of protections) console.log(`${id}  ${what}  (${file})`);
}

function shown({ protection: { id, what, file, test }, outcome, detail }: Verdict) {
  return { id, what, file, test, outcome, detail };
}

async function checkAll(list: readonly Protection[]): Promise<Verdict[]> {
  const left = [...list];
  const done = new Map<Protection, Verdict>();
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      done.set(next, await check(repository, next));
      process.stderr.write('.');
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  process.stderr.write('\n');
  return list.map((protection) => done.get(protection)!);
}

function print(list: readonly Verdict[]): void {
  const width = Math.max(...list.map(({ protection }) => protection.id.length));
  for (const { protection, outcome, detail } of list) {
    const mark = outcome === 'noticed' ? 'noticed  ' : outcome.toUpperCase().padEnd(9);
    console.log(`${mark}  ${protection.id.padEnd(width)}  ${protection.what}`);
    if (outcome !== 'noticed') console.log(`${' '.repeat(11 + width + 2)}${detail}; ${protection.test.name}`);
  }
}
