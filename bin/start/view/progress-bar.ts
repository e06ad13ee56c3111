import type { RunProgress } from '../progress/run-progress.js';
import { count } from '../progress/shown-number.js';
import type { Palette } from './palette.js';
import type { Piece } from './styled-line.js';

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const minBar = 10;
const speedWidth = 11;

/** Objects done of those that the walk has found, as a bar and in figures. */
export function progressBar(
  progress: RunProgress,
  objectsPerSecond: number,
  width: number,
  palette: Palette,
): Piece[] {
  const { objects, walked } = progress;
  const share = walked.done && walked.objects > 0 ? Math.min(1, objects / walked.objects) : 0;
  // Rounded down: 100 % is said of what is complete.
  const percent = walked.done && walked.objects > 0 ? `${Math.floor(share * 100)} %` : '… %';
  const total = `${count(walked.objects)}${walked.done ? '' : '…'}`;
  // Widths that do not change with every figure: else the bar would twitch.
  const figures = `  ${percent.padStart(5)}  ${count(objects).padStart(total.length)} of ${total}`;
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
