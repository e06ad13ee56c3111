import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check, failingAnyway, type Verdict } from './protections/check.js';
import { protections } from './protections/index.js';
import type { Protection } from './protections/protection.js';

// Takes each protection of the code out, in a copy, and expects its test to notice.
//
//   npm run protections [-- --only ID[,ID…]]

const repository = join(import.meta.dirname, '..');
const workers = 2;

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = choose(values.only);

const failing = await failingAnyway(repository, chosen);
for (const name of failing) console.error(`fails or does not run with nothing taken out: ${name}`);

const verdicts = await checkAll(chosen);
print(verdicts);
const unnoticed = verdicts.filter(({ outcome }) => outcome !== 'noticed');
console.log(`\n${verdicts.length - unnoticed.length} of ${verdicts.length} removals were noticed`);
process.exitCode = unnoticed.length > 0 || failing.length > 0 ? 1 : 0;

function choose(only: string | undefined): readonly Protection[] {
  const ids = new Set(only?.split(','));
  const unknown = [...ids].filter((id) => !protections.some((protection) => protection.id === id));
  if (unknown.length > 0) throw new Error(`no such protection: ${unknown.join(', ')}`);
  const twice = protections.filter(({ id }, i) => protections.findIndex((other) => other.id === id) !== i);
  if (twice.length > 0) throw new Error(`two protections have the id ${twice[0]!.id}`);
  return ids.size === 0 ? protections : protections.filter(({ id }) => ids.has(id));
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
