import { stripVTControlCharacters } from 'node:util';

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
