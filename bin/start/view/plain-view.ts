import { count, seconds } from '../../terminal/figures.js';
import type { Palette } from '../../terminal/styled-line.js';
import type { Moment, RunProgress } from '../run-progress.js';
import { momentLines } from './moment-lines.js';

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
