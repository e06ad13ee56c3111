/** The span over which the speed is taken, in milliseconds. */
const spanMs = 2_000;

/** Objects a second, over the last two seconds. */
export class Throughput {
  readonly #samples: { readonly atMs: number; readonly objects: number }[] = [];

  /** Takes a sample and answers the speed. */
  at(atMs: number, objects: number): number {
    const samples = this.#samples;
    samples.push({ atMs, objects });
    while (samples.length > 2 && atMs - samples[1]!.atMs >= spanMs) samples.shift();
    const first = samples[0]!;
    return atMs > first.atMs ? ((objects - first.objects) * 1_000) / (atMs - first.atMs) : 0;
  }
}
