import prettyBytes from 'pretty-bytes';
import type { InventoryPartial, InventoryReport, ScanReport, ScanVerdict } from '../../../lib/scan/index.js';
// Not by the index: who follows an execution needs no client of S3.
import { inventoryReport } from '../../../lib/scan/results/inventory-report.js';
import { formatDuration, percent, plural } from '../../terminal/figures.js';
import { print, printJson } from '../../terminal/output.js';
import {
  type Column,
  fieldList,
  styleOfStdout,
  type TableStyle,
  textTable,
} from '../../terminal/text-table.js';
import type { WorkHere } from './progress.js';
import { locationText, type S3Location } from './scan-options.js';

/** A scan with a verdict, here or in the state machine. */
export interface FinishedScan {
  readonly verdict: ScanVerdict;
  /** Absent where only the state machine knows it. */
  readonly location?: S3Location;
  readonly durationMs: number;
  /** What the seats of this process did; absent where it was done elsewhere. */
  readonly here?: WorkHere;
  /** Further fields for `--json`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

const maxRows = 20;

/**
 * Prints the report of a scan.
 *
 * @returns the exit code: 0 only if everything was scanned and nothing failed
 */
export function tellReport(finished: FinishedScan, options: { readonly json: boolean }): number {
  const { verdict } = finished;
  const inventory = takeInventory(verdict.report);
  if (options.json) printJson(reportJson(finished, inventory));
  else print(reportText(finished, inventory, styleOfStdout()));
  return verdict.status === 'complete' ? 0 : 1;
}

/** One flat object, so that `jq .objects` is enough. */
function reportJson(
  { verdict, location, durationMs, here, extra }: FinishedScan,
  inventory: InventoryReport | undefined,
): Record<string, unknown> {
  const { result: _result, ...counts } = verdict.report;
  return {
    run: verdict.run,
    status: verdict.status,
    complete: verdict.status === 'complete',
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(location && { location: locationText(location) }),
    ...extra,
    round: verdict.round,
    durationMs: Math.round(durationMs),
    ...(here && { here }),
    ...counts,
    inventory: inventory ?? null,
  };
}

/** A deployed scan may work with a processor of its own, or leave out a result that was too large to hand on. */
function takeInventory(report: ScanReport): InventoryReport | undefined {
  const partial = report.result as Partial<InventoryPartial> | null | undefined;
  const isInventory = typeof partial === 'object' && partial !== null && typeof partial.digest === 'string';
  return isInventory ? inventoryReport(partial as InventoryPartial, maxRows) : undefined;
}

const headlines = {
  complete: 'complete: every key was scanned once, and the slices tile the key space',
  'completed-with-failures': 'completed with failures',
  more: 'unfinished',
  failed: 'failed',
};

const counted: readonly Column[] = [
  { title: 'NAME' },
  { title: 'OBJECTS', align: 'right' },
  { title: 'BYTES', align: 'right' },
];

/** The report for people. */
function reportText(
  finished: FinishedScan,
  inventory: InventoryReport | undefined,
  style: TableStyle,
): string {
  const { verdict } = finished;
  const table = (title: string, columns: readonly Column[], rows: string[][]) =>
    rows.length === 0 ? [] : [`${title}\n${textTable(columns, rows, style)}`];
  const sizes = (groups: InventoryReport['segments']) =>
    groups.map(({ name, objects, bytes }) => [name || '(none)', integer(objects), prettyBytes(bytes)]);
  return [
    summary(finished),
    ...table('By first path segment', counted, sizes(inventory?.segments ?? [])),
    ...table('By extension', counted, sizes(inventory?.extensions ?? [])),
    ...table(
      'Largest',
      [{ title: 'KEY' }, { title: 'BYTES', align: 'right' }],
      (inventory?.largest ?? []).map(({ key, size }) => [key, prettyBytes(size)]),
    ),
    ...table(
      failuresTitle(verdict.report),
      [{ title: 'KEY' }, { title: 'ERROR' }],
      failureRows(verdict.report),
    ),
    ...table(
      'Quarantined: nobody got further than this in four attempts',
      [{ title: 'SLICE' }, { title: 'AFTER' }, { title: 'UP TO' }, { title: 'ATTEMPTS' }, { title: 'ERROR' }],
      verdict.report.quarantined.map(({ slice, lo, hi, attempts, error }) => [
        slice,
        lo ?? '(first key)',
        hi ?? '(last key)',
        String(attempts),
        error ?? '-',
      ]),
    ),
  ].join('\n\n');
}

function summary({ verdict, location, durationMs, here }: FinishedScan): string {
  const { report } = verdict;
  const why = verdict.status === 'complete' || !verdict.reason ? '' : `: ${verdict.reason}`;
  return fieldList([
    ['scan', `${headlines[verdict.status]}${why}`],
    ['run', verdict.run],
    ['of', location && locationText(location)],
    ['objects', integer(report.objects)],
    ['bytes', `${prettyBytes(report.bytes)} (${integer(report.bytes)})`],
    [
      'slices',
      `${integer(report.slices)}${report.unfinished > 0 ? `, ${report.unfinished} unfinished` : ''}`,
    ],
    ['takeovers', integer(report.takeovers)],
    ['requests', `${integer(report.listRequests)} to list`],
    ['failures', integer(report.failureCount)],
    ['quarantined', integer(report.quarantined.length)],
    ['seats', here && seatsText(here)],
    ['took', formatDuration(durationMs)],
  ]);
}

/** A run that was found finished has kept nobody busy. */
function seatsText({ seats, busyShare, splits, objectsPerSecond }: WorkHere): string {
  if (busyShare === null) return `${integer(seats)}, nothing was left to do`;
  const speed = `${integer(objectsPerSecond)} objects/s`;
  return `${integer(seats)}, busy ${percent(busyShare)} of the time; ${plural(splits, 'split')}; ${speed}`;
}

function failuresTitle({ failures, failureCount }: ScanReport): string {
  return failures.length < failureCount
    ? `Failures, ${failures.length} of ${failureCount}; the others are in the slices' items`
    : 'Failures';
}

function failureRows({ failures }: ScanReport): string[][] {
  return failures.map(({ key, error }) => [key, error]);
}

function integer(count: number): string {
  return count.toLocaleString('en');
}
