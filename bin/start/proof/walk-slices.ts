import { walkDirectory } from '../../../lib/local/index.js';
import { keyDigest } from '../../../lib/scan/index.js';
import { KeyRanges } from './key-ranges.js';

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
