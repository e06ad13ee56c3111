import type { WriteStream } from 'node:tty';
import { createLogUpdate } from 'log-update';
import { Throughput } from '../../terminal/figures.js';
import type { Palette } from '../../terminal/styled-line.js';
import type { RunProgress } from '../run-progress.js';
import { frame } from './frame.js';
import type { View } from './plain-view.js';

const drawEveryMs = 100;

/** A picture on a terminal, drawn anew ten times a second and whenever the window changes. */
export class LiveView implements View {
  readonly #stream: WriteStream;
  readonly #palette: Palette;
  readonly #subtitle: (progress: RunProgress) => string;
  readonly #draw: ReturnType<typeof createLogUpdate>;
  readonly #throughput = new Throughput();
  #timer: NodeJS.Timeout | undefined;
  #progress: RunProgress | undefined;

  constructor(stream: WriteStream, palette: Palette, subtitle: (progress: RunProgress) => string) {
    this.#stream = stream;
    this.#palette = palette;
    this.#subtitle = subtitle;
    this.#draw = createLogUpdate(stream);
  }

  start(progress: RunProgress): void {
    this.#progress = progress;
    this.#stream.on('resize', this.#onResize);
    this.#timer = setInterval(this.#show, drawEveryMs);
    this.#show();
  }

  /** The next picture has it. */
  moment(): void {}

  [Symbol.dispose](): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stream.off('resize', this.#onResize);
    this.#draw.clear();
    // What stays above the report is whole, however small the screen; and the cursor comes back.
    if (this.#progress) this.#stream.write(`${this.#frame(this.#progress, Number.POSITIVE_INFINITY)}\n`);
    this.#draw.done();
  }

  readonly #onResize = (): void => {
    // Lines that the terminal has broken anew can't be counted any more: begin on an empty screen.
    this.#stream.write('\u001B[2J\u001B[H');
    this.#draw.done();
    this.#show();
  };

  readonly #show = (): void => {
    if (this.#progress) this.#draw(this.#frame(this.#progress, this.#stream.rows ?? 24));
  };

  #frame(progress: RunProgress, rows: number): string {
    return frame(progress, {
      rows,
      columns: this.#stream.columns ?? 80,
      palette: this.#palette,
      subtitle: this.#subtitle(progress),
      objectsPerSecond: this.#throughput.at(progress.elapsedMs, progress.objects),
    });
  }
}
