/**
 * How well a scan keeps its workers busy, over thirteen layouts of keys: the product's own planner, seats and proof under
 * virtual time. Targets are printed beside, and asserted nowhere.
 *
 *     npm run bench:scan                                        # all layouts as a table
 *     npm run bench:scan -- --layout hex,unicode --workers 8    # some
 *     npm run bench:scan -- --keys 7680000 --workers 256        # 300 pages a worker
 *     npm run bench:scan -- --json                              # an object for each layout, a line each
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { layouts } from './scan/layouts.js';
import { listMs, playScan, type ScanFigures, tableMs } from './scan/play-scan.js';

const { values } = parseArgs({
  options: {
    layout: { type: 'string', default: Object.keys(layouts).join(',') },
    workers: { type: 'string', default: '64' },
    keys: { type: 'string', default: '2000000' },
    page: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
});
const workers = toNumber('workers', values.workers);
const keys = toNumber('keys', values.keys);
const pageSize = toNumber('page', values.page);

const figures: ScanFigures[] = [];
for (const name of values.layout.split(',')) {
  const layout = layouts[name];
  if (!layout) throw new Error(`no layout "${name}"; there are ${Object.keys(layouts).join(', ')}`);
  const played = await playScan(layout(keys), { workers, pageSize });
  figures.push(played);
  if (values.json) console.log(JSON.stringify(played));
  else if (process.stderr.isTTY) console.error(`${name}: ${percent(played.efficiency)}`);
}
if (!values.json) print();

function print(): void {
  const table = new Table({
    head: [
      'layout',
      'efficiency',
      'extra lists',
      'writes',
      'items read',
      'plan',
      'slices',
      'steals',
      'empty',
      's',
    ],
    style: { head: [], border: [] },
    colAligns: ['left', ...Array.from({ length: 9 }, () => 'right' as const)],
  });
  for (const row of figures) {
    table.push([
      row.layout,
      percent(row.efficiency),
      percent(row.extra),
      row.writesPerPage.toFixed(2),
      row.itemsReadPerPage.toFixed(2),
      row.planRequests,
      row.planned,
      row.steals,
      row.emptySlices,
      (row.tookMs / 1_000).toFixed(1),
    ]);
  }
  const mean = (of: (row: ScanFigures) => number) =>
    figures.reduce((sum, row) => sum + of(row), 0) / figures.length;
  table.push([
    'average',
    percent(mean((row) => row.efficiency)),
    percent(mean((row) => row.extra)),
    mean((row) => row.writesPerPage).toFixed(2),
    mean((row) => row.itemsReadPerPage).toFixed(2),
  ]);
  console.log(
    `${workers} workers, ${keys} keys in pages of ${pageSize}; list ${listMs} ms, table ${tableMs} ms, all of it virtual`,
  );
  console.log(
    `efficiency: (pages / workers x the list's time + planning) / time until the last slice is completed; writes and items read are a page's`,
  );
  console.log(table.toString());
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

function toNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${option}: must be a whole number from 1, got ${text}`);
}
