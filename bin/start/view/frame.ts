import { count, percent, seconds } from '../../terminal/figures.js';
import { type Paint, type Palette, type Piece, spreadLine, styledLine } from '../../terminal/styled-line.js';
import type { RunProgress, SliceProgress } from '../run-progress.js';
import { momentLines } from './moment-lines.js';
import { seatTable } from './seat-table.js';

/** What a frame is drawn from, besides the progress. */
export interface FrameSettings {
  readonly columns: number;
  readonly rows: number;
  readonly palette: Palette;
  /** The line under the title: engine, directory, options. */
  readonly subtitle: string;
  readonly objectsPerSecond: number;
}

/** Lines of the log that are kept even on a small screen. */
const minLog = 3;
const maxWidth = 120;
const wideEnough = 100;
const narrow = 78;

/** One picture of the run, fitted to the screen. */
export function frame(progress: RunProgress, settings: FrameSettings): string {
  const { palette, rows } = settings;
  // The last column stays free: some terminals wrap when it is written.
  const width = Math.max(20, Math.min(settings.columns - 1, maxWidth));
  // One row stays free for the cursor.
  const room = Math.max(1, rows - 1);
  const title: Piece[] = [' ', ['leasehold', palette.bold], '  ', [progress.phase, palette.cyan]];
  const top = [
    spreadLine(title, [seconds(progress.elapsedMs), palette.dim], width),
    styledLine([' ', [settings.subtitle, palette.dim]], width),
  ];
  const bar = styledLine(progressBar(progress, settings.objectsPerSecond, width, palette), width);
  const counters = styledLine(counterPieces(progress, width, palette), width);
  const grid = sliceGrid(progress, width, palette).slice(0, 3);
  const fixed = top.length + 1 + 1 + grid.length + 1;
  const seats = seatTable(progress, width, palette, Math.max(0, room - fixed - minLog - 3));
  const spare = room - fixed - seats.length;
  const spaced = spare - minLog >= 3;
  const blank = spaced ? [''] : [];
  const logRoom = Math.max(0, spare - 3 * blank.length - (seats.length > 0 && spaced ? 1 : 0));
  const log = progress.moments.flatMap((moment) => momentLines(moment, palette, width));
  return [
    ...top,
    ...blank,
    bar,
    ...grid,
    ...blank,
    ...seats,
    ...(seats.length > 0 ? blank : []),
    counters,
    ...blank,
    ...(logRoom > 0 ? log.slice(-logRoom) : []),
  ]
    .slice(0, room)
    .join('\n');
}

function counterPieces(progress: RunProgress, width: number, palette: Palette): Piece[] {
  const retries = progress.takeovers.filter(({ how }) => how === 'retry').length;
  const expiries = progress.takeovers.length - retries;
  const how = ` (${retries} by retry, ${expiries} after expiry)`;
  const figure = (value: number, paint: Paint): Piece => [count(value), value > 0 ? paint : palette.dim];
  return [
    ' takeovers ',
    figure(progress.takeovers.length, palette.magenta),
    [width >= wideEnough ? how : '', palette.dim],
    '   stale writes refused ',
    figure(progress.refusedWrites.length, palette.red),
    ...(width >= narrow ? ['   leases lost ', figure(progress.lostLeases, palette.yellow)] : []),
    ...(width >= narrow ? ['   splits ', figure(progress.splits, palette.cyan)] : []),
    ...(width >= wideEnough
      ? [
          '   busy ',
          figure(progress.busySeats, palette.cyan),
          [` of ${progress.seats.size}`, palette.dim] as Piece,
        ]
      : []),
    '   lists ',
    figure(progress.listRequests(), palette.bold),
  ];
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const minBar = 10;
const speedWidth = 11;

/** Objects done of those that the walk has found, as a bar and in figures. */
function progressBar(
  progress: RunProgress,
  objectsPerSecond: number,
  width: number,
  palette: Palette,
): Piece[] {
  const { objects, walked } = progress;
  const share = walked.done && walked.objects > 0 ? Math.min(1, objects / walked.objects) : 0;
  // Rounded down: 100 % is said of what is complete.
  const done = walked.done && walked.objects > 0 ? percent(share) : '… %';
  const total = `${count(walked.objects)}${walked.done ? '' : '…'}`;
  // Widths that do not change with every figure: else the bar would twitch.
  const figures = `  ${done.padStart(5)}  ${count(objects).padStart(total.length)} of ${total}`;
  const speed = `${count(objectsPerSecond)}/s`.padStart(speedWidth);
  const cells = Math.max(minBar, width - figures.length - speed.length - 2);
  const filled = share * cells;
  const whole = Math.floor(filled);
  const part = eighths[Math.floor((filled - whole) * 8)]!;
  const bar = '█'.repeat(whole) + part;
  return [
    ' ',
    [bar, palette.green],
    ['░'.repeat(cells - [...bar].length), palette.dim],
    figures,
    [speed, palette.dim],
  ];
}

/** All slices in the order in which they came to be, a cell each, and how many are done. */
function sliceGrid(progress: RunProgress, width: number, palette: Palette): string[] {
  const slices = [...progress.slices.values()];
  if (slices.length === 0) return [];
  const done = slices.filter(({ state }) => state === 'done').length;
  const label = `  ${count(done)} of ${count(slices.length)} slices`;
  const perLine = Math.max(10, width - label.length - 2);
  const lines: string[] = [];
  for (let from = 0; from < slices.length; from += perLine) {
    const cells = slices.slice(from, from + perLine).map((slice) => drawCell(slice, palette));
    lines.push(styledLine([' ', ...cells, ...(from === 0 ? [label] : [])], width));
  }
  return lines;
}

function drawCell(slice: SliceProgress, palette: Palette): Piece {
  switch (slice.state) {
    case 'waiting':
      return ['·', palette.dim];
    case 'working':
      return ['▪', slice.takeovers > 0 ? palette.magenta : palette.cyan];
    case 'struck':
      return ['✗', palette.red];
    case 'done':
      return ['■', slice.takeovers > 0 ? palette.magenta : palette.green];
    case 'quarantined':
      return ['!', palette.red];
  }
}
