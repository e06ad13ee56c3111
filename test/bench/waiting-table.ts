/**
 * Waiting, take-over after a crash, and renewals, in virtual time: no quiet machine is needed.
 *
 *     npm run bench:waiting            # the figures as a table
 *     npm run bench:waiting -- --json  # one object
 */
import Table from 'cli-table3';
import { usePlainAbort } from '../simulation/world/plain-abort.js';
import { playCrash, playRenewals, playWaiting } from './waiting.js';

usePlainAbort();
const rows: Record<string, string | number>[] = [];
const seeds = [1, 2, 3];
for (const waiters of [1, 10, 50]) {
  const played = [];
  for (const seed of seeds) played.push(await playWaiting(waiters, { seed, holds: 40 }));
  const gaps = played.map(({ meanMs }) => meanMs).sort((a, b) => a - b);
  const reads = played.reduce((sum, { readsPerGrant }) => sum + readsPerGrant, 0) / played.length;
  rows.push({
    what: `ms from a release to the next grant, holds of 1 s, waiters: ${waiters} (reads a grant: ${reads.toFixed(1)})`,
    ...spreadOf(gaps),
  });
}
for (const leaseMs of [6_000, 1_000]) {
  const played = [];
  for (let seed = 1; seed <= 60; seed++) played.push(await playCrash(leaseMs, seed, 20));
  rows.push({
    what: `leases from a crash to the next grant, of ${leaseMs} ms`,
    ...spreadOf(played.sort((a, b) => a - b)),
  });
}
const { most, average } = await playRenewals(1_000, 1);
rows.push({
  what: 'most renewals in a second ÷ the average, of 1,000 leases taken together',
  ...spreadOf([most / average]),
});

if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else {
  const table = new Table({ head: ['', 'median', 'least', 'most'], style: { head: [], border: [] } });
  for (const row of rows) table.push(Object.values(row));
  console.log(table.toString());
}
process.exit(0);

function spreadOf(sorted: readonly number[]) {
  const shown = (value: number | undefined) => (value ?? Number.NaN).toFixed(2);
  return { median: shown(sorted[sorted.length >> 1]), least: shown(sorted[0]), most: shown(sorted.at(-1)) };
}
