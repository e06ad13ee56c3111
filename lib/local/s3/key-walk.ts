import { compareBytes } from './byte-order.js';
import type { FolderListings } from './folder-listings.js';
import { uploadFolderPattern } from './key-path.js';

/** Where a walk begins. */
export interface WalkStart {
  readonly key: string;
  /** `at`: with the key itself; `after`: behind it; `after-all`: behind every key that begins with it. */
  readonly from: 'at' | 'after' | 'after-all';
}

/**
 * Walks the keys of a bucket in the order of their UTF-8 bytes, reading only the folders that it passes.
 *
 * @param root the bucket's directory.
 * @param prefix only keys that begin with it.
 * @param start goes straight there, without reading what lies before.
 */
export async function* walkKeys(
  listings: FolderListings,
  root: string,
  prefix: string,
  start: WalkStart,
): AsyncGenerator<string> {
  const from: WalkStart = compareBytes(prefix, start.key) > 0 ? { key: prefix, from: 'at' } : start;
  yield* walkFolder(listings, root, '', prefix, from);
}

async function* walkFolder(
  listings: FolderListings,
  folder: string,
  base: string,
  prefix: string,
  start: WalkStart,
): AsyncGenerator<string> {
  const names = await listings.names(folder);
  for (let i = firstIndex(names, base, start); i < names.length; i++) {
    const name = names[i]!;
    const path = base + name;
    if (base === '' && uploadFolderPattern.test(name)) continue;
    if (name.endsWith('/')) {
      if (path.startsWith(prefix) || prefix.startsWith(path)) {
        yield* walkFolder(listings, `${folder}/${name.slice(0, -1)}`, path, prefix, start);
        continue;
      }
    } else if (path.startsWith(prefix)) {
      yield path;
      continue;
    }
    // Past the prefix: whatever follows is greater still.
    if (compareBytes(path, prefix) > 0) return;
  }
}

/** Binary search for the first entry that is, or may hold, a key of the walk. */
function firstIndex(names: readonly string[], base: string, start: WalkStart): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (liesBefore(base + names[middle]!, start)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// In sorted order it is true, then false: an entry's keys all lie before the start, or some don't.
function liesBefore(path: string, start: WalkStart): boolean {
  if (start.from === 'after-all' && path.startsWith(start.key)) return true;
  const order = compareBytes(path, start.key);
  // A folder that the start lies in is passed through, though its own path is smaller.
  if (path.endsWith('/')) return order < 0 && !start.key.startsWith(path);
  return order < 0 || (order === 0 && start.from === 'after');
}
