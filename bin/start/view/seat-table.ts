import { count } from '../../terminal/figures.js';
import type { Palette } from '../../terminal/styled-line.js';
import { type Paint, type Piece, styledLine } from '../../terminal/styled-line.js';
import type { RunProgress, SeatProgress } from '../run-progress.js';
import { formatSlice, formatToken } from '../run-progress.js';

const wideEnough = 100;

/** The seats, each with its process and the slice that it holds: at most `most` lines, the heading included. */
export function seatTable(progress: RunProgress, width: number, palette: Palette, most: number): string[] {
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
