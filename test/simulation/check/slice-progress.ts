import type { Check, Violation } from '../history/history.js';
import { orderOfText } from '../store/attribute-values.js';
import { textIn } from './lease-writes.js';
import { sliceWrites } from './slice-facts.js';

/** `claimed` and `cursor` never fall. */
export const checkSliceProgress: Check = (history) => {
  const violations: Violation[] = [];
  for (const { atMs, key, before, after, request } of sliceWrites(history)) {
    if (!before || !after || !request) continue;
    for (const attribute of ['claimed', 'cursor'] as const) {
      const [from, to] = [textIn(before, attribute), textIn(after, attribute)];
      if (from === undefined || (to !== undefined && orderOfText(to, from) >= 0)) continue;
      violations.push({ rule: 'claims', atMs, what: `${attribute} of ${key} falls from ${from} to ${to}` });
    }
  }
  return violations;
};
