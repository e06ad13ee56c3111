/**
 * Draws, by their number, that are to bring the simplest that they can: what may happen does not, a delay is the shortest,
 * a choice the first.
 */
export type Spared = ReadonlySet<number>;

/** A seeded stream of numbers: the only source of chance in a schedule. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  readonly #spared: Spared | undefined;
  #drawn = 0;

  /** @param spared draws that bring the simplest that they can; the other draws stay as they are */
  constructor(seed: number, spared?: Spared) {
    this.#spared = spared;
    this.#a = 0x9e3779b9;
    this.#b = seed >>> 0;
    this.#c = Math.floor(seed / 2 ** 32) >>> 0;
    this.#d = 1;
    for (let index = 0; index < 12; index++) this.#step();
  }

  /** How many draws there have been. */
  get drawn(): number {
    return this.#drawn;
  }

  /** In [0, 1). */
  next(): number {
    return this.#draw(0);
  }

  /** The generator is sfc32, small and good enough for schedules. */
  #step(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return (sum >>> 0) / 2 ** 32;
  }

  #draw(simplest: number): number {
    const value = this.#step();
    const number = this.#drawn++;
    return this.#spared?.has(number) ? simplest : value;
  }

  /** Whether something of this likelihood happens. */
  chance(likelihood: number): boolean {
    return likelihood > 0 && this.#draw(1) < likelihood;
  }

  /** Between the two, evenly. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** A whole number, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Between the two with as much weight on each order of magnitude: short ones are as likely as long ones. */
  spread(least: number, most: number): number {
    return least * (most / least) ** this.next();
  }

  /** One of them. */
  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)]!;
  }
}
