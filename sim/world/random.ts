/** A seeded stream of numbers: the only source of chance in a schedule. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    this.#a = 0x9e3779b9;
    this.#b = seed >>> 0;
    this.#c = Math.floor(seed / 2 ** 32) >>> 0;
    this.#d = 1;
    for (let index = 0; index < 12; index++) this.next();
  }

  /** In [0, 1). The generator is sfc32, small and good enough for schedules. */
  next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** Whether something of this likelihood happens. */
  chance(likelihood: number): boolean {
    return likelihood > 0 && this.next() < likelihood;
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
