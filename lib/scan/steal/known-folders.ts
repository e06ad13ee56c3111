import { compareKeys, separatingCut, topCharacter } from '../keys/key-order.js';

import type { SliceItem } from '../slices/slice.js';

/** A slice counts as half through the folder that it is in. */
const halfFolder = 0.5;

/** How far a slice has come. */
export type SeenSlice = Pick<SliceItem, 'lo' | 'claimed' | 'progress'>;

/** The folders that the plan has seen, each as large as they are on the average: hints for splitting, never a bound. */
export class KnownFolders {
  readonly #paths: readonly string[];
  readonly #prefix: string;
  /** How many of them there are in one above. */
  readonly perFolder: number;

  /**
   * @param paths in key order, none inside another
   * @param prefix the run's own
   */
  constructor(paths: readonly string[], prefix: string) {
    this.#paths = paths;
    this.#prefix = prefix;
    const above = new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/', path.length - 2) + 1)));
    this.perFolder = paths.length / above.size;
  }

  /** The folder that a key lies in. */
  containing(key: string): string | undefined {
    const path = this.#paths[this.countUpTo(key) - 1];
    return path !== undefined && key.startsWith(path) ? path : undefined;
  }

  /** How many begin at or before a key; without one, all. */
  countUpTo(key: string | undefined): number {
    let [low, high] = [0, this.#paths.length];
    if (key === undefined) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys(this.#paths[middle]!, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A cut in front of a folder, given by its place in the order; `undefined` if there is none. */
  cutBefore(index: number): string | undefined {
    const path = this.#paths[index];
    if (path === undefined || index === 0) return undefined;
    const cut = separatingCut(this.#paths[index - 1]! + topCharacter, path, this.#prefix);
    return cut.endsWith(topCharacter) ? undefined : cut;
  }

  /** Pages of a folder, as the slices show: all that they have done, by the folders that they have come through. */
  pagesPerFolder(slices: Iterable<SeenSlice>): number {
    let [pages, folders] = [0, 0];
    for (const { lo, claimed, progress } of slices) {
      if (claimed === undefined) continue;
      const begun = lo === undefined ? 0 : this.countUpTo(lo);
      pages += progress;
      folders += Math.max(halfFolder, this.countUpTo(claimed) - begun - halfFolder);
    }
    return folders === 0 ? 1 : pages / folders;
  }
}
