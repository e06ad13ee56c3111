const format = new Intl.NumberFormat('en-US');

/** A whole number with its thousands apart. */
export function count(number: number): string {
  return format.format(Math.round(number));
}

/** Milliseconds since the start, as seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** A share of 1, rounded down: 100 % is said of what is whole. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** A count with its noun: `1 slice`, `1,200 slices`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A duration for people, in its two largest units: `12s`, `3m 20s`, `2d 4h`; below ten seconds with a tenth. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)}s`;
  let rest = Math.round(ms / 1_000);
  const parts: string[] = [];
  for (const [unit, seconds] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}

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
