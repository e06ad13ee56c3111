import { readdir, stat } from 'node:fs/promises';
import { sortByBytes } from './byte-order.js';

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
