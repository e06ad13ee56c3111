import type { WriteStream } from 'node:tty';
import { createColors } from 'picocolors';

/**
 * Text from outside (keys, owners, names) as it may go to a terminal: control characters, and those that turn the
 * direction of writing, are escaped, so that a key can't clear the screen or pose as another.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
  });
}

const minWidth = 16;

/** A key as it may go to a terminal, cut in the middle if it is longer than `width`: both ends tell it apart. */
export function formatKey(key: string, width: number): string {
  const characters = [...printable(key)];
  const most = Math.max(minWidth, width);
  if (characters.length <= most) return characters.join('');
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return `${characters.slice(0, head).join('')}…${characters.slice(-tail).join('')}`;
}

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
