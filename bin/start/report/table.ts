import CliTable from 'cli-table3';
import { printable } from '../../cli/printable.js';
import type { Palette } from '../view/palette.js';

/** A column: its heading, and whether its values are numbers, which stand to the right. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const noLines = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
    [side, ''],
    [`${side}-mid`, ''],
    [`${side}-left`, ''],
    [`${side}-right`, ''],
  ]),
);

/** Rows under headings, without lines, indented by one. Values are made printable. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  palette: Palette,
): string {
  const drawn = new CliTable({
    head: columns.map(({ title }) => palette.bold(title)),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    chars: { ...noLines, middle: '  ' },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(...rows.map((row) => row.map(printable)));
  return drawn
    .toString()
    .split('\n')
    .map((line) => ` ${line.trimEnd()}`)
    .join('\n');
}
