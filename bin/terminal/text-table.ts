import { stripVTControlCharacters } from 'node:util';
import CliTable from 'cli-table3';
import colors from 'picocolors';
import { type Paint, printable } from './styled-line.js';

/** A column: its heading, and whether its values are numbers, which stand to the right. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** How a table looks: with lines and colours on a terminal, plain and aligned in a pipe. */
export type TableStyle = 'terminal' | 'plain';

/** The style that fits where stdout goes. */
export function styleOfStdout(): TableStyle {
  return process.stdout.isTTY ? 'terminal' : 'plain';
}

const noLines = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/**
 * Rows under headings. Values are made printable.
 *
 * @param paintHeading how a heading looks. @default bold on a terminal that can show it, else as it is
 */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: TableStyle,
  paintHeading: Paint = colors.createColors(style === 'terminal' && colors.isColorSupported).bold,
): string {
  const table = new CliTable({
    head: columns.map(({ title }) => paintHeading(title)),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    style: { head: [], border: [], compact: true, ...(style === 'plain' && noPadding) },
    ...(style === 'plain' && { chars: noLines }),
  });
  table.push(...rows.map((row) => row.map(printable)));
  return table.toString().replace(/[ \t]+$/gm, '');
}

const noPadding = { 'padding-left': 0, 'padding-right': 0 };

/** Names and values, one a line; values that are absent are left out. */
export function fieldList(fields: readonly (readonly [name: string, value: string | undefined])[]): string {
  const present = fields.filter((field): field is readonly [string, string] => field[1] !== undefined);
  const width = Math.max(...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join('\n');
}

const gap = 4;

/** Two tables beside each other where they fit into `width`, else one below the other. */
export function sideBySide(left: string, right: string, width: number): string {
  const leftLines = left.split('\n');
  const rightLines = right.split('\n');
  const leftWidth = measureWidth(leftLines) + gap;
  if (leftWidth + measureWidth(rightLines) > width) return `${left}\n\n${right}`;
  return Array.from({ length: Math.max(leftLines.length, rightLines.length) }, (_, index) => {
    const line = leftLines[index] ?? '';
    const padding = ' '.repeat(leftWidth - measureLength(line));
    return index < rightLines.length ? line + padding + rightLines[index] : line;
  }).join('\n');
}

function measureWidth(lines: readonly string[]): number {
  return Math.max(...lines.map(measureLength));
}

function measureLength(line: string): number {
  return [...stripVTControlCharacters(line)].length;
}
