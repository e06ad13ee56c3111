import { compareKeys } from '../../../lib/scan/index.js';

/** A bucket's keys, in the order of their UTF-8, made when they are asked for: millions need no memory. */
export interface SortedKeys {
  readonly name: string;
  /** In a few words. */
  readonly what: string;
  readonly count: number;
  /** @param index from 0, below `count` */
  readonly keyAt: (index: number) => string;
}

/** Where the first key lies that is behind another: a binary search. */
export function indexBehind(keys: SortedKeys, after: string | undefined): number {
  if (after === undefined) return 0;
  let low = 0;
  let high = keys.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(keys.keyAt(middle), after) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
