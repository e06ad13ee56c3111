import prettyBytes from 'pretty-bytes';
import type { InventoryReport, ScanReport } from '../../../lib/scan/index.js';
import { formatDuration } from '../duration.js';
import { locationText } from '../s3-location.js';
import { type Column, fieldList, type TableStyle, textTable } from '../text-table.js';
import type { FinishedScan } from './report.js';

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
export function reportText(
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

function summary({ verdict, location, durationMs }: FinishedScan): string {
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
    ['took', formatDuration(durationMs)],
  ]);
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
