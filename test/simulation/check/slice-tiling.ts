import type { Check, Violation } from '../history/history.js';
import type { Item } from '../store/attribute-values.js';
import { orderOfText } from '../store/attribute-values.js';
import { leaseWrites } from './lease-writes.js';
import { childOf, isSlice, type Range, rangeOf } from './slice-facts.js';

/**
 * Ranges always tile: the slices, those that are planned but not yet made, and the children that are written down but
 * not yet made cover the key space from open to open, once.
 */
export const checkTiling: Check = (history) => {
  const violations: Violation[] = [];
  const slices = new Map<string, Item>();
  let planned: readonly Range[] = [];
  for (const write of leaseWrites(history)) {
    const { atMs, key, before, after, request } = write;
    if (!request) break;
    if (!isSlice(write)) {
      if (after?.cuts?.L && planned.length === 0) planned = rangesOf(after.cuts.L.map(({ S }) => S!));
      continue;
    }
    if (after) slices.set(key, after);
    const isMoved = before?.hi?.S !== after?.hi?.S || before?.child !== after?.child || !before;
    const problem = isMoved && findProblem(planned, slices);
    if (problem) violations.push({ rule: 'tiling', atMs, what: `after a write to ${key}: ${problem}` });
  }
  return violations;
};

function rangesOf(cuts: readonly string[]): Range[] {
  return Array.from({ length: cuts.length + 1 }, (_, at) => ({ lo: cuts[at - 1], hi: cuts[at] }));
}

function findProblem(planned: readonly Range[], slices: ReadonlyMap<string, Item>): string | undefined {
  const items = [...slices.values()];
  const ranges = items.map(rangeOf);
  for (const range of planned) if (!ranges.some(({ lo }) => lo === range.lo)) ranges.push(range);
  for (const item of items) {
    const child = childOf(item);
    if (child && ![...slices.keys()].some((key) => key.endsWith(`/${child.id}`))) ranges.push(child);
  }
  ranges.sort((a, b) => orderOfText(a.lo ?? '', b.lo ?? ''));
  if (ranges[0]!.lo !== undefined) return 'nothing covers the beginning';
  for (const [at, { hi }] of ranges.entries()) {
    const next = ranges[at + 1];
    if (next ? next.lo !== hi : hi !== undefined) return `behind ${hi} comes ${next ? next.lo : 'nothing'}`;
  }
  return undefined;
}
