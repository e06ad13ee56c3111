import type { Protection } from './protection.js';

const splitTests = 'test/engine/scan/splits.test.ts';
const conditions = 'lib/scan/slices/scan-conditions.ts';
const splittable = 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);';
const refusedSplits = {
  file: splitTests,
  name: 'what is claimed, moved, split or completed since it was read is not split',
};

/** Slices that are split while they are worked on (scan page). */
export const ofTheScan: readonly Protection[] = [
  {
    id: 'children-while-the-index-lags',
    what: 'no round of work is lost to an index that lags',
    file: 'lib/scan/seats/slice-search.ts',
    find: 'const wanted = childrenWanted(this.#planned, this.#seen.values());',
    replace: 'const wanted: string[] = [];',
    test: {
      file: splitTests,
      name: 'children and theirs are found by a seat although the index lags for ever',
    },
  },
  {
    id: 'seat-frozen-at-its-start',
    what: 'a seat’s older instance evicts no younger one, though it has not had a slice yet',
    file: 'lib/scan/seats/slice-search.ts',
    find: 'Math.ceil(latest) + wholeSecondMs',
    replace: 'Math.ceil(latest) + 1e9 * wholeSecondMs',
    test: {
      file: 'test/engine/scan/seats.test.ts',
      name: 'one that was frozen at its start does not take the slice of an instance from a minute later',
    },
  },
  {
    id: 'seat-that-looked-before',
    what: 'a seat’s older instance that has looked already evicts no younger one by its write',
    file: conditions,
    find: 'ownUntilMs === undefined ? undefined : heldSinceBefore(ownUntilMs)',
    replace: 'undefined',
    test: {
      file: 'test/engine/scan/seats.test.ts',
      name: 'one that was frozen at its start does not take the slice of an instance from a minute later',
    },
  },
  {
    id: 'split-a-slice',
    what: 'a split makes no new item where TTL took the old one',
    file: conditions,
    find: splittable,
    replace: 'return all(notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    test: {
      file: splitTests,
      name: 'a slice that TTL removed since it was read is not split: no new item comes up',
    },
  },
  {
    id: 'split-above-claimed',
    what: 'no key is handed out under two slices',
    file: conditions,
    find: splittable,
    replace: 'return all(isSlice, notCompleted, hiIs(hi), noChildPending);',
    test: refusedSplits,
  },
  {
    id: 'split-by-the-end-seen',
    what: 'the ranges always tile',
    file: conditions,
    find: splittable,
    replace: 'return all(isSlice, notCompleted, claimedLiesBelow(cut), noChildPending);',
    test: refusedSplits,
  },
  {
    id: 'split-once-at-a-time',
    what: 'a child that is not made yet is not forgotten',
    file: conditions,
    find: splittable,
    replace: 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut));',
    test: refusedSplits,
  },
  {
    id: 'split-unfinished',
    what: 'what is completed stays whole',
    file: conditions,
    find: splittable,
    replace: 'return all(isSlice, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    test: refusedSplits,
  },
];
