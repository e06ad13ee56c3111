import type { WriteStream } from 'node:tty';
import { createColors } from 'picocolors';

/** Puts a colour on a text. */
export type Paint = (text: string) => string;

/** A piece of a line. */
export type Piece = string | readonly [text: string, paint: Paint];

/**
 * Pieces as one line of at most `width` characters; what does not fit is cut, with a mark. Colours go on after the
 * cut, so that none is left open.
 */
export function styledLine(pieces: readonly Piece[], width: number): string {
  let room = width;
  let line = '';
  const total = pieces.reduce((length, piece) => length + measureLength(toText(piece)), 0);
  for (const piece of pieces) {
    const characters = [...toText(piece)];
    const cut = total > width && characters.length >= room;
    const text = cut ? `${characters.slice(0, Math.max(0, room - 1)).join('')}…` : characters.join('');
    line += typeof piece === 'string' ? text : piece[1](text);
    room -= characters.length;
    if (cut) break;
  }
  return line;
}

/** Pieces with the last one pushed to the right edge. */
export function spreadLine(left: readonly Piece[], right: Piece, width: number): string {
  const used = [...left, right].reduce((length, piece) => length + measureLength(toText(piece)), 0);
  return styledLine([...left, ' '.repeat(Math.max(2, width - used)), right], width);
}

function toText(piece: Piece): string {
  return typeof piece === 'string' ? piece : piece[0];
}

function measureLength(text: string): number {
  return [...text].length;
}

/** The colours of a stream, or none. */
export type Palette = ReturnType<typeof createColors>;

/** Colours where the stream is a terminal that can show them and `NO_COLOR` is not set; `FORCE_COLOR` has the last word. */
export function choosePalette(
  stream: Pick<WriteStream, 'isTTY'>,
  env: NodeJS.ProcessEnv = process.env,
): Palette {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const wanted = Boolean(stream.isTTY) && env.TERM !== 'dumb' && !env.NO_COLOR;
  return createColors(forced || wanted);
}
