import { stripVTControlCharacters } from 'node:util';

const gap = 4;

/** Two tables beside each other where they fit into `width`, else one below the other. */
export function sideBySide(left: string, right: string, width: number): string {
  const leftLines = left.split('\n');
  const rightLines = right.split('\n');
  const leftWidth = widthOf(leftLines) + gap;
  if (leftWidth + widthOf(rightLines) > width) return `${left}\n\n${right}`;
  return Array.from({ length: Math.max(leftLines.length, rightLines.length) }, (_, index) => {
    const line = leftLines[index] ?? '';
    const padding = ' '.repeat(leftWidth - lengthOf(line));
    return index < rightLines.length ? line + padding + rightLines[index] : line;
  }).join('\n');
}

function widthOf(lines: readonly string[]): number {
  return Math.max(...lines.map(lengthOf));
}

function lengthOf(line: string): number {
  return [...stripVTControlCharacters(line)].length;
}
