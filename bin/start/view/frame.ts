import { count, percent, seconds } from '../../terminal/figures.js';
import { type Paint, type Palette, type Piece, spreadLine, styledLine } from '../../terminal/styled-line.js';
import {
  formatSlice,
  formatToken,
  type RunProgress,
  type SeatProgress,
  type SliceView,
} from '../run-progress.js';
import { momentLines } from './plain-view.js';

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

function drawCell(slice: SliceView, palette: Palette): Piece {
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

/** The seats, each with its process and the slice that it holds: at most `most` lines, the heading included. */
function seatTable(progress: RunProgress, width: number, palette: Palette, most: number): string[] {
  const seats = [...progress.seats.values()].sort((a, b) => a.seat - b.seat);
  // When all are done there is nothing left to tell.
  if (most < 2 || seats.every(({ state }) => state === 'done')) return [];
  const wide = width >= wideEnough;
  const heading = cells('seat', 'worker', 'slice', 'token', 'page', 'objects', wide);
  const shown = seats.length < most ? seats : seats.slice(0, most - 2);
  const lines = shown.map((seat) => styledLine(drawRow(progress, seat, palette, wide), width));
  if (shown.length < seats.length)
    lines.push(styledLine([[`   and ${seats.length - shown.length} more`, palette.dim]], width));
  return [styledLine([[`${heading}  state`, palette.dim]], width), ...lines];
}

function drawRow(progress: RunProgress, seat: SeatProgress, palette: Palette, wide: boolean): Piece[] {
  const slice = seat.slice === undefined ? undefined : progress.slices.get(seat.slice);
  // A slice that has been taken over meanwhile has its new holder's figures.
  const own = slice?.seat === seat.seat ? slice : undefined;
  const token = wide ? (own?.token?.toString() ?? '') : own ? formatToken(own.token) : '';
  const row = cells(
    String(seat.seat),
    seat.pid ? String(seat.pid) : '',
    slice ? formatSlice(slice.id) : '',
    token,
    own ? count(own.pages) : '',
    own ? count(own.objects) : '',
    wide,
  );
  const [state, paint] = findState(seat, palette);
  return [row, '  ', [state, paint]];
}

function cells(
  seat: string,
  pid: string,
  slice: string,
  token: string,
  page: string,
  objects: string,
  wide: boolean,
): string {
  return [
    seat.padStart(5),
    pid.padStart(8),
    slice.padEnd(9),
    token.padStart(wide ? 14 : 8),
    page.padStart(6),
    objects.padStart(9),
  ].join('  ');
}

function findState({ state }: SeatProgress, palette: Palette): [string, Paint] {
  switch (state) {
    case 'starting':
      return ['starting', palette.dim];
    case 'looking':
      return ['looking for work', palette.dim];
    case 'working':
      return ['working', palette.cyan];
    case 'killed':
      return ['✗ killed', palette.red];
    case 'stopped':
      return ['‖ stopped', palette.yellow];
    case 'done':
      return ['done', palette.green];
  }
}
