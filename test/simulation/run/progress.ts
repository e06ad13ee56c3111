/** A line on stderr that says how far it is; on a terminal it is written over, elsewhere there is one now and then. */
export class Progress {
  readonly #label: string;
  readonly #all: number;
  readonly #startMs = performance.now();
  #done = 0;
  #toldMs = 0;

  constructor(label: string, all: number) {
    this.#label = label;
    this.#all = all;
  }

  add(count: number): void {
    this.#done += count;
    const everyMs = process.stderr.isTTY ? 200 : 10_000;
    if (performance.now() - this.#toldMs < everyMs) return;
    this.#toldMs = performance.now();
    const perSecond = (1000 * this.#done) / Math.max(1, this.#toldMs - this.#startMs);
    const text = `${this.#label}: ${this.#done} of ${this.#all}, ${perSecond.toFixed(0)} a second`;
    process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  }
}
