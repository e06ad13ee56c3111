import type { RunProgress } from '../progress/run-progress.js';
import { count, seconds } from '../progress/shown-number.js';
import { momentLines } from './moment-lines.js';
import type { Palette } from './palette.js';
import { progressBar } from './progress-bar.js';
import { seatTable } from './seat-table.js';
import { sliceGrid } from './slice-grid.js';
import { type Paint, type Piece, spreadLine, styledLine } from './styled-line.js';

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
    '   list requests ',
    figure(progress.listRequests(), palette.bold),
  ];
}
