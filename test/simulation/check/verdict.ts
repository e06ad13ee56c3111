import type { Check, History, Violation } from '../history/history.js';
import { numberIn, textIn } from './lease-writes.js';
import { sliceWrites } from './slice-facts.js';

/** At so many grants without progress a slice is given up. */
const maxAttempts = 4;

/** Every key is in exactly one slice's final result; a run is failed for a good reason only. */
export const checkVerdict: Check = (history) => {
  const violations: Violation[] = [];
  for (const record of history.records) {
    if (record.kind !== 'verdict') continue;
    const tell = (what: string) => violations.push({ rule: 'verdict', atMs: record.atMs, what });
    const wanted = history.premises.keys ?? [];
    if (record.status === 'complete') {
      const counts = new Map<string, number>();
      for (const key of record.keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const key of wanted) if (!counts.has(key)) tell(`the run is complete, with ${key} in no result`);
      // Those that were put while the scan ran are seen once, or not.
      for (const [key, count] of counts)
        if (count > 1) tell(`the run is complete, with ${key} in ${count} results`);
    } else if (!isExcused(history)) tell(`the run is ${record.status}: ${record.reason}`);
  }
  return violations;
};

/** A slice was given up after its grants made no progress, or somebody deleted an item. */
function isExcused(history: History): boolean {
  if (history.premises.deletedEarlyAtMs !== undefined) return true;
  const grants = new Map<string, number>();
  for (const { key, before, after } of sliceWrites(history)) {
    const hasMoved = textIn(before, 'cursor') !== textIn(after, 'cursor');
    if (hasMoved) grants.set(key, 0);
    if (numberIn(before, 'version') !== numberIn(after, 'version'))
      grants.set(key, (grants.get(key) ?? 0) + 1);
  }
  return [...grants.values()].some((count) => count >= maxAttempts);
}
