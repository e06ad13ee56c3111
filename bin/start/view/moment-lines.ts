import { seconds } from '../../terminal/figures.js';
import type { Palette } from '../../terminal/styled-line.js';
import { type Paint, styledLine } from '../../terminal/styled-line.js';
import type { Moment, MomentKind } from '../run-progress.js';

/** Signs that every terminal shows one cell wide. */
const signs: Readonly<Record<MomentKind, string>> = {
  note: '·',
  killed: '✗',
  stopped: '‖',
  'taken-over': '↷',
  woken: '▸',
  refused: '⊘',
  lost: '↯',
  split: '+',
  done: '✓',
};

/** When, the sign, and the spaces between. */
const marginWidth = 11;

/** A moment as lines of at most `width` characters: when, a sign, what happened. */
export function momentLines({ kind, atMs, text }: Moment, palette: Palette, width: number): string[] {
  const paint = choosePaint(kind, palette);
  return wordWrapped(text, Math.max(1, width - marginWidth)).map((line, index) =>
    index === 0
      ? styledLine(
          [[seconds(atMs).padStart(7), palette.dim], '  ', [signs[kind], paint], ' ', [line, paint]],
          width,
        )
      : styledLine([' '.repeat(marginWidth), [line, paint]], width),
  );
}

function wordWrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function choosePaint(kind: MomentKind, palette: Palette): Paint {
  switch (kind) {
    case 'killed':
    case 'refused':
      return palette.red;
    case 'stopped':
    case 'lost':
      return palette.yellow;
    case 'taken-over':
      return palette.magenta;
    case 'woken':
      return palette.cyan;
    case 'done':
      return palette.green;
    case 'note':
    case 'split':
      return palette.dim;
  }
}
