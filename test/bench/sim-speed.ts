/**
 * How many schedules the simulator plays in a second on two threads, from the start of the threads to the last
 * schedule: locks and scans, one after the other. Targets are printed beside, and asserted nowhere.
 *
 *     npm run bench:sim                                  # the figures as a table
 *     npm run bench:sim -- --json                        # one object
 *     npm run bench:sim -- --locks 30000 --scans 3000    # how many of each
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { bundleSimulator } from '../simulation/run/bundle.js';
import type { Suite } from '../simulation/run/play.js';
import { runSeeds } from '../simulation/run/run-seeds.js';

const threads = 2;
/** Schedules a second, by suite. */
const targets = { lock: 1_000, scan: 100 } as const satisfies Partial<Record<Suite, number>>;

const { values } = parseArgs({
  options: {
    locks: { type: 'string', default: '20000' },
    scans: { type: 'string', default: '2000' },
    json: { type: 'boolean', default: false },
  },
});
const counts = { lock: Number(values.locks), scan: Number(values.scans) };

const bundle = await bundleSimulator('bench');
const [loadBefore] = loadavg();
const rows: Row[] = [];
for (const suite of ['lock', 'scan'] as const) {
  const startMs = performance.now();
  const order = { suite, from: 1, until: 1 + counts[suite], stopsAtFirst: false };
  const { played, violations, cpuMs } = await runSeeds(bundle, order, threads);
  const tookMs = performance.now() - startMs;
  if (violations.length > 0)
    throw new Error(`${suite}: ${violations.length} schedules broke a rule; npm run sim`);
  const [perSecond, perCpuSecond] = [(1000 * played) / tookMs, (1000 * played) / cpuMs];
  rows.push({ suite, played, perSecond, perCpuSecond, target: targets[suite] });
}
const machine = { node: process.version, cpus: availableParallelism(), loadBefore };
if (values.json) console.log(JSON.stringify({ threads, machine, rows }));
else print();

interface Row {
  readonly suite: Suite;
  readonly played: number;
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly target: number;
}

function print(): void {
  const table = new Table({
    head: ['', 'schedules', 'a second', 'for each second of CPU', 'aimed at'],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'right'],
  });
  for (const { suite, played, perSecond, perCpuSecond, target } of rows) {
    table.push([suite, played, perSecond.toFixed(0), perCpuSecond.toFixed(0), `${target} a second`]);
  }
  const { cpus } = machine;
  console.log(
    `simulated schedules on ${threads} threads of ${cpus} CPUs; load before: ${loadBefore!.toFixed(2)}`,
  );
  console.log(table.toString());
}
