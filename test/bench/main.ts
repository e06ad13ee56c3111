/**
 * The bench: what the library costs, as ratios to the same without it, measured side by side. Nothing is asserted.
 *
 *     npm run bench                             # all figures, as a table
 *     npm run bench -- --only waiting,heap      # some: cycle, once, throughput, heap, starts, waiting
 *     npm run bench -- --rounds 20 --json       # more rounds; one JSON object
 *     npm run bench -- --only peers             # beside other locks, after npm ci --prefix test/bench/peers
 */
import { execFile } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import { type Row, tableOf } from './row.js';
import { startRows } from './starts.js';

const groups = ['cycle', 'once', 'throughput', 'heap', 'starts', 'waiting'] as const;
const known: readonly string[] = [...groups, 'peers'];
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: groups.join() },
    rounds: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
});
const wanted = values.only.split(',');
for (const group of wanted) {
  if (!known.includes(group)) {
    throw new Error(`--only: "${group}" is none of ${known.join(', ')}`);
  }
}
const rounds = Number(values.rounds);

const rows: Row[] = [];
const [loadBefore] = loadavg();
for (const group of wanted) rows.push(...(await rowsOf(group)));

const about = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  load: { before: loadBefore!, after: loadavg()[0]! },
};
if (values.json) console.log(JSON.stringify({ ...about, rows }));
else {
  const load = `load ${about.load.before.toFixed(1)} before, ${about.load.after.toFixed(1)} after`;
  console.log(`${about.date}, Node ${about.node}, ${load}`);
  console.log(tableOf(rows));
}

function rowsOf(group: string): Promise<readonly Row[]> {
  if (group === 'starts') return startRows(rounds);
  // Its packages are found from where the program lies.
  if (group === 'peers')
    return measure('peers/main.mjs', 'test/bench/peers/node_modules/.bench/main.mjs', []);
  return measure('measured.ts', '.leasehold/bench/measured.mjs', [group]);
}

/** Bundles a program and runs it: it prints its rows. */
async function measure(program: string, outfile: string, asked: readonly string[]): Promise<readonly Row[]> {
  await build({
    entryPoints: [join('test/bench', program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  const flags = ['--expose-gc', '--single-threaded-gc'];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...flags, outfile, ...asked, String(rounds)],
    { env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' } },
  );
  process.stderr.write(stderr);
  return JSON.parse(stdout);
}
