import { readLinear } from '../../linear/of-simulation.js';
import type { Check } from '../history/history.js';

/** An independent reading: what callers were told can be explained by a lock and a fence that answer one call at a time. */
export const checkLinear: Check = (history) => {
  const { impossible, explained, unknown } = readLinear(history);
  history.tally.count('read: objects that are explained', explained);
  history.tally.count('read: objects given up', unknown);
  return impossible.map((what) => ({ rule: 'linear', atMs: history.records.at(-1)?.atMs ?? 0, what }));
};
