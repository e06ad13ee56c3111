import type { Check, Violation } from '../history/history.js';
import type { Item } from '../store/attribute-values.js';
import { orderOfText } from '../store/attribute-values.js';
import { textIn } from './lease-writes.js';
import { isSlice } from './slice-facts.js';

/**
 * No key is acted on under two slices; a page is claimed before it is handed out; and what is done is not handed out
 * again to the current holder.
 */
export const checkPages: Check = ({ premises, records }) => {
  const violations: Violation[] = [];
  const items = new Map<string, Item>();
  const sliceOfKey = new Map<string, string>();
  for (const record of records) {
    if (record.atMs >= (premises.deletedEarlyAtMs ?? Number.POSITIVE_INFINITY)) break;
    if (record.kind === 'write' && isSlice(record) && record.after) items.set(record.key, record.after);
    if (record.kind !== 'page') continue;
    const { atMs, slice, leaseId, keys } = record;
    const tell = (what: string) => violations.push({ rule: 'pages', atMs, what });
    const item = items.get(slice);
    const [claimed, cursor] = [textIn(item, 'claimed'), textIn(item, 'cursor')];
    const isCurrent = textIn(item, 'leaseId') === leaseId;
    for (const key of keys) {
      const other = sliceOfKey.get(key);
      if (other !== undefined && other !== slice)
        tell(`${key} is handed out under ${slice} and under ${other}`);
      sliceOfKey.set(key, slice);
      if (claimed === undefined || orderOfText(key, claimed) > 0)
        tell(`${key} of ${slice} is handed out unclaimed`);
      if (isCurrent && cursor !== undefined && orderOfText(key, cursor) <= 0) {
        tell(`${key} of ${slice} is handed out again, although it was done`);
      }
    }
  }
  return violations;
};
