import { readdir, stat } from 'node:fs/promises';
import { uploadFolderPattern } from './object-file.js';

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

/**
 * Compares two strings by their UTF-8 bytes, as S3 orders keys. UTF-16's order differs: there surrogates, which
 * stand for characters above U+FFFF, come before U+E000 to U+FFFF.
 *
 * @returns negative, zero or positive, as `Array.prototype.sort` wants it.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return aboveSurrogates(x) - aboveSurrogates(y);
  }
  return a.length - b.length;
}

/** Sorts in place by UTF-8 bytes. */
export function sortByBytes(names: string[]): string[] {
  // Below the surrogates both orders are one, and the built-in sort is several times as fast.
  return names.some((name) => /[\ud800-\uffff]/.test(name)) ? names.sort(compareBytes) : names.sort();
}

// Moves the surrogates behind all other code units, and those that were behind them down.
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

// A change within one tick of the file system's clock (a jiffy, 10 ms at most) leaves the time as it was.
const racyMs = 100;

interface Listing {
  readonly mtimeNs: bigint;
  readonly names: readonly string[];
}

/**
 * Sorted listings of folders, the least recently used ones forgotten. Each is checked against its folder's
 * time of change, so that files which others add or remove are seen at once.
 */
export class FolderListings {
  readonly #listings = new Map<string, Listing>();
  #kept = 0;

  /** @param limit names kept over all folders. */
  constructor(private readonly limit = 1_000_000) {}

  /**
   * Regular files and folders in a folder, by UTF-8 bytes, folders with a `/` at the end: the order in which
   * the keys below them follow each other. Empty if the folder is not there.
   */
  async names(folder: string): Promise<readonly string[]> {
    const before = await stat(folder, { bigint: true }).catch(() => undefined);
    if (!before?.isDirectory()) {
      this.forget(folder);
      return [];
    }
    const known = this.#listings.get(folder);
    this.forget(folder);
    if (known?.mtimeNs === before.mtimeNs) {
      this.#keep(folder, known);
      return known.names;
    }
    const names = await read(folder);
    const settled = Date.now() - Number(before.mtimeMs) > racyMs;
    if (settled) this.#keep(folder, { mtimeNs: before.mtimeNs, names });
    return names;
  }

  /** Drops what is known of a folder. */
  forget(folder: string): void {
    const known = this.#listings.get(folder);
    if (!known) return;
    this.#listings.delete(folder);
    this.#kept -= cost(known);
  }

  #keep(folder: string, listing: Listing): void {
    this.forget(folder);
    this.#listings.set(folder, listing);
    this.#kept += cost(listing);
    for (const oldest of this.#listings.keys()) {
      if (this.#kept <= this.limit) break;
      this.forget(oldest);
    }
  }
}

function cost(listing: Listing): number {
  return listing.names.length + 1;
}

async function read(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.isFile()) names.push(entry.name);
    else if (entry.isDirectory()) names.push(`${entry.name}/`);
  }
  return sortByBytes(names);
}
