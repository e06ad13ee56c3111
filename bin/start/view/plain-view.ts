import { count, seconds } from '../../terminal/figures.js';
import { type Paint, type Palette, styledLine } from '../../terminal/styled-line.js';
import type { Moment, MomentKind, RunProgress } from '../run-progress.js';

/** Shows a run while it goes on. */
export interface View extends Disposable {
  /** Begins to show. */
  start(progress: RunProgress): void;
  /** Told each moment as it comes. */
  moment(moment: Moment): void;
}

const tellEveryMs = 2_000;

/** Plain lines for a pipe: each moment as it comes, and now and then how far it is. */
export class PlainView implements View {
  readonly #stream: NodeJS.WritableStream;
  readonly #palette: Palette;
  readonly #subtitle: (progress: RunProgress) => string;
  #timer: NodeJS.Timeout | undefined;
  #told = '';

  constructor(stream: NodeJS.WritableStream, palette: Palette, subtitle: (progress: RunProgress) => string) {
    this.#stream = stream;
    this.#palette = palette;
    this.#subtitle = subtitle;
  }

  start(progress: RunProgress): void {
    this.#line(`leasehold  ${this.#subtitle(progress)}`);
    this.#timer = setInterval(() => this.#tell(progress), tellEveryMs);
  }

  moment(moment: Moment): void {
    for (const line of momentLines(moment, this.#palette, Number.POSITIVE_INFINITY)) this.#line(line);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tell(progress: RunProgress): void {
    const done = [...progress.slices.values()].filter(({ state }) => state === 'done').length;
    const { objects, walked, phase } = progress;
    const total = `${count(walked.objects)}${walked.done ? '' : '…'}`;
    const text = `${phase}: ${count(objects)} of ${total} objects, ${count(done)} of ${count(progress.slices.size)} slices`;
    // A line that says nothing new is none.
    if (text === this.#told) return;
    this.#told = text;
    this.#line(`${seconds(progress.elapsedMs).padStart(7)}    ${text}`);
  }

  #line(text: string): void {
    this.#stream.write(`${text}\n`);
  }
}

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
