/**
 * The choices of a run, one after the other: those of the path first, then always the first. What there was to choose from
 * is kept, so that the next path can be found.
 */
export class Choices {
  readonly #path: readonly number[];
  readonly #taken: { readonly chosen: number; readonly of: number }[] = [];

  /** @param path as another run's `next` has it; the first run has none */
  constructor(path: readonly number[] = []) {
    this.#path = path;
  }

  /** One of so many, by its index. */
  choose(of: number): number {
    const chosen = this.#path[this.#taken.length] ?? 0;
    if (chosen >= of) throw new Error('the same choices led elsewhere: the run is not deterministic');
    this.#taken.push({ chosen, of });
    return chosen;
  }

  /** The path of the next run, depth first; `undefined` when there is none. */
  get next(): readonly number[] | undefined {
    const last = this.#taken.findLastIndex(({ chosen, of }) => chosen + 1 < of);
    if (last < 0) return undefined;
    return [...this.#taken.slice(0, last).map(({ chosen }) => chosen), this.#taken[last]!.chosen + 1];
  }

  get taken(): readonly number[] {
    return this.#taken.map(({ chosen }) => chosen);
  }
}
