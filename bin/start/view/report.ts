import prettyBytes from 'pretty-bytes';
import {
  type InventoryPartial,
  type InventoryReport,
  type InventoryRow,
  inventoryReport,
} from '../../../lib/scan/index.js';
import { count, percent, plural, seconds } from '../../terminal/figures.js';
import { formatKey, type Palette } from '../../terminal/styled-line.js';
import { type Column, sideBySide, textTable } from '../../terminal/text-table.js';
import type { Check, SliceEvidence } from '../proof/proof.js';
import { isComplete, type RunOutcome } from '../proof/slice-evidence.js';
import { formatSlice, formatToken, type RunProgress } from '../run-progress.js';
import type { StartOptions } from '../start-options.js';

/** Rows of each of the inventory's tables. */
const jsonRows = 20;

/** What `--json` prints. */
export function jsonResult(options: StartOptions, progress: RunProgress, outcome: RunOutcome) {
  const { report, slices, checks } = outcome;
  const retries = progress.takeovers.filter(({ how }) => how === 'retry').length;
  return {
    complete: isComplete(outcome),
    objects: report?.objects ?? 0,
    bytes: report?.bytes ?? 0,
    slices: slices.length,
    takeovers: progress.takeovers.length,
    takeoversByRetry: retries,
    takeoversAfterExpiry: progress.takeovers.length - retries,
    staleWritesRejected: progress.refusedWrites.length,
    leasesLost: progress.lostLeases,
    splits: progress.splits,
    /** Shares of 1 of the time; null before anything was done. */
    seatsBusy: progress.seatShares ?? null,
    listRequests: outcome.listRequests,
    independentCount: outcome.independentCount,
    durationMs: Math.round(progress.elapsedMs),
    scanMs: Math.round(outcome.scanMs),
    run: outcome.run,
    engine: outcome.engine,
    directory: options.directory,
    seats: options.seats,
    pageSize: options.pageSize,
    leaseMs: options.leaseMs,
    seed: options.seed,
    checks,
    faults: {
      ordered: progress.ordered,
      strikes: progress.strikes,
      notes: progress.faultNotes,
      takeovers: progress.takeovers,
      refusedWrites: progress.refusedWrites,
    },
    sliceResults: slices,
    inventory: report?.result ? inventoryReport(report.result as InventoryPartial, jsonRows) : null,
  };
}

/** Rows of each of the inventory's tables. */
const topRows = 6;
const minWidth = 60;
const maxWidth = 120;

/** What is printed when a run is over: the report as tables, then the proof. */
export function textReport(
  progress: RunProgress,
  outcome: RunOutcome,
  palette: Palette,
  columns: number,
): string {
  const width = Math.max(minWidth, Math.min(maxWidth, columns - 1));
  const { report, slices, checks } = outcome;
  const found = report?.result as InventoryPartial | null | undefined;
  const tables =
    found && found.objects > 0 ? inventoryTables(inventoryReport(found, topRows), palette, width) : [];
  return [
    ...tables,
    ...(slices.length > 0 ? [sliceTable(slices, palette, width)] : []),
    summaryLines(progress, outcome, palette),
    proofLines(checks, outcome.independentCount, palette),
  ].join('\n\n');
}

/** The run in a few lines: how much, how fast, and what the faults did. */
function summaryLines(progress: RunProgress, outcome: RunOutcome, palette: Palette): string {
  const { report, slices, listRequests, scanMs } = outcome;
  const objects = report?.objects ?? progress.objects;
  const bytes = report ? `, ${prettyBytes(report.bytes)}` : '';
  const figures =
    `${count(objects)} objects${bytes} in ${count(slices.length)} slices, ` +
    `${count(listRequests)} list requests, ${seconds(scanMs)}`;
  return [palette.bold(` ${figures}`), ...faultLines(progress).map((line) => ` ${line}`)].join('\n');
}

function faultLines(progress: RunProgress): string[] {
  const { ordered, strikes, takeovers, refusedWrites, faultNotes } = progress;
  const struck = strikes.map(({ kind, pid, slice, token }) => {
    const what = kind === 'kill' ? 'killed' : 'stopped';
    return `worker ${pid} ${what} in slice ${slice} under token ${formatToken(token)}`;
  });
  const missed = ordered
    .filter(({ kind }) => !strikes.some((strike) => strike.kind === kind))
    .map(
      ({ kind, slice, page }) =>
        `the ${kind} ordered for page ${page} of slice ${slice} did not come to pass`,
    );
  const retries = takeovers.filter(({ how }) => how === 'retry').length;
  return [
    ...struck,
    ...missed,
    ...faultNotes,
    ...busyLines(progress),
    `takeovers: ${count(takeovers.length)} (${retries} by a seat started again, ` +
      `${takeovers.length - retries} after a lease had run out)`,
    `stale writes refused: ${count(refusedWrites.length)}; leases lost: ${count(progress.lostLeases)}`,
  ];
}

/** The proof: each claim with a sign, and its figures. */
function proofLines(checks: readonly Check[], independentCount: number, palette: Palette): string {
  const lines = checks.map(({ claim, holds, figures }) => {
    const sign = holds ? palette.green('✓') : palette.red('✗');
    return ` ${sign} ${claim}\n   ${palette.dim(figures)}`;
  });
  const verdict = checks.every(({ holds }) => holds)
    ? palette.green(` complete: ${count(independentCount)} objects, each in exactly one result`)
    : palette.red(' NOT complete');
  return [palette.bold(' proof'), ...lines, '', palette.bold(verdict)].join('\n');
}

/** Rows that are shown; of more slices those that changed hands come first. */
const maxRows = 12;
/** What the figures beside a slice's bound take, in columns. */
const boundFiguresWidth = 62;

/** The slices with their tokens, in key order. */
function sliceTable(slices: readonly SliceEvidence[], palette: Palette, width: number): string {
  const telling = [...slices].sort((a, b) => b.takeovers - a.takeovers).slice(0, maxRows);
  const shown = slices.filter((slice) => telling.includes(slice));
  const rows = shown.map((slice) => [
    formatSlice(slice.id),
    slice.hi === undefined ? '(the end)' : formatKey(slice.hi, width - boundFiguresWidth),
    count(slice.objects),
    count(slice.pages),
    String(slice.token),
    slice.takeovers > 0 ? String(slice.takeovers) : '',
  ]);
  const text = table(
    [
      { title: 'slice' },
      { title: 'up to' },
      { title: 'objects', align: 'right' },
      { title: 'pages', align: 'right' },
      { title: 'token', align: 'right' },
      { title: 'takeovers', align: 'right' },
    ],
    rows,
    palette,
  );
  const left = slices.length - shown.length;
  return left === 0 ? text : `${text}\n${palette.dim(` and ${count(left)} more slices`)}`;
}

/** What the figures beside a name take, in columns. */
const figuresWidth = 26;
const maxGroupName = 24;
const maxLargest = 5;

/** What was found: by first path segment, by extension, and the largest objects. */
function inventoryTables(inventory: InventoryReport, palette: Palette, width: number): string[] {
  const room = width - figuresWidth;
  const groupRoom = Math.min(room, maxGroupName);
  const largest = inventory.largest
    .slice(0, maxLargest)
    .map(({ key, size }) => [formatKey(key, room), prettyBytes(size)]);
  return [
    sideBySide(
      groups('first segment', inventory.segments, palette, groupRoom),
      groups('extension', inventory.extensions, palette, groupRoom),
      width,
    ),
    table([{ title: 'largest objects' }, { title: 'size', align: 'right' }], largest, palette),
  ];
}

function groups(title: string, rows: readonly InventoryRow[], palette: Palette, room: number): string {
  return table(
    [{ title }, { title: 'objects', align: 'right' }, { title: 'size', align: 'right' }],
    rows.map(({ name, objects, bytes }) => [formatKey(name, room), count(objects), prettyBytes(bytes)]),
    palette,
  );
}

/** How evenly the seats were busy, and what made it so. */
function busyLines({ seatShares, splits }: RunProgress): string[] {
  if (!seatShares) return [];
  const { all, min, max } = seatShares;
  return [
    `seats busy: ${percent(all)} of the time (from ${percent(min)} to ${percent(max)}); ${plural(splits, 'split')}`,
  ];
}

/** Indented by one, as everything else in the report. */
function table(columns: readonly Column[], rows: readonly (readonly string[])[], palette: Palette): string {
  return textTable(columns, rows, 'plain', palette.bold).replace(/^/gm, ' ');
}
