import { walkDirectory } from '../../../lib/local/index.js';
import { keyDigest } from '../../../lib/scan/index.js';

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

/** What a walk found in one slice's range. */
export interface WalkedSlice {
  objects: number;
  bytes: number;
  digest: string;
}

/**
 * Walks the directory once more and sorts what it finds into the slices' ranges; keeps no keys.
 *
 * @param his the slices' upper bounds, in key order
 * @throws the signal's reason
 */
export async function walkSlices(
  directory: string,
  his: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<WalkedSlice[]> {
  const ranges = new KeyRanges(his);
  const found = his.map(() => ({ objects: 0, bytes: 0, keys: keyDigest() }));
  for await (const { key, size } of walkDirectory(directory)) {
    signal.throwIfAborted();
    const slice = found[ranges.indexOf(key)]!;
    slice.objects++;
    slice.bytes += size;
    slice.keys.add(key);
  }
  return found.map(({ objects, bytes, keys }) => ({ objects, bytes, digest: keys.hex() }));
}
