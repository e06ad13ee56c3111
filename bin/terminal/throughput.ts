/** So many a second, over the last two seconds or another span. */
export class Throughput {
  readonly #spanMs: number;
  readonly #samples: { readonly atMs: number; readonly done: number }[] = [];

  /** @param spanMs in milliseconds */
  constructor(spanMs = 2_000) {
    this.#spanMs = spanMs;
  }

  /** Takes a sample and answers the speed. */
  at(atMs: number, done: number): number {
    const samples = this.#samples;
    samples.push({ atMs, done });
    while (samples.length > 2 && atMs - samples[1]!.atMs >= this.#spanMs) samples.shift();
    const first = samples[0]!;
    return atMs > first.atMs ? ((done - first.done) * 1_000) / (atMs - first.atMs) : 0;
  }
}
