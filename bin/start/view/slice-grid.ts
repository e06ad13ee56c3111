import type { RunProgress } from '../progress/run-progress.js';
import { count } from '../progress/shown-number.js';
import type { SliceProgress } from '../progress/slice-progress.js';
import type { Palette } from './palette.js';
import { type Piece, styledLine } from './styled-line.js';

/** All slices in the order in which they came to be, a cell each, and how many are done. */
export function sliceGrid(progress: RunProgress, width: number, palette: Palette): string[] {
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
