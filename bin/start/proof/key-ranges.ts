/** Key ranges `(lo, hi]` that follow each other, found by binary search. */
export class KeyRanges {
  readonly #ends: readonly Buffer[];

  /** @param his the upper bounds in key order; the last range is open */
  constructor(his: readonly (string | undefined)[]) {
    this.#ends = his.slice(0, -1).map((hi) => Buffer.from(hi ?? ''));
  }

  /**
   * The place of the range that holds a key. The order is that of UTF-8 bytes by its definition, not by the scan's
   * own comparison: this is what the scan is checked against.
   */
  indexOf(key: string): number {
    const bytes = Buffer.from(key);
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Buffer.compare(bytes, this.#ends[middle]!) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
