/** How often each kind of trouble, and each kind of outcome, came: a kind that never came shows nothing. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** @param kind in words, what it belongs to first: `trouble: a crash`, `call: release released` */
  count(kind: string, times = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + times);
  }

  /** Adds what another one has counted. */
  add(counts: Readonly<Record<string, number>>): void {
    for (const kind in counts) this.count(kind, counts[kind]);
  }

  /** All counts by kind, in the order of the kinds. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Those of the kinds that never came. */
  findMissing(kinds: readonly string[]): readonly string[] {
    return kinds.filter((kind) => !this.#counts.has(kind));
  }
}
