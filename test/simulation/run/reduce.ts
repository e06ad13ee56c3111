import type { Spared } from '../world/random.js';
import type { Told } from './told.js';

/** Replays that a reduction may take: seconds for locks, some more for scans. */
const maxReplays = 4_000;

/** What is left of a schedule when all is taken out of it that its violation does not need. */
export interface Reduction extends Told {
  readonly replays: number;
}

/**
 * Looks for the least trouble with which the first rule that a seed broke is still broken: it spares the schedule's
 * draws, large stretches first and single ones last, and keeps what leaves the violation standing and the way to it no
 * longer than it was. The same seed always gives the same reduction.
 *
 * @param whole the schedule as it was drawn: a rule was broken
 * @param retell plays it again, with these draws spared
 * @param onReplay told how many times it was
 */
export async function reduce(
  whole: Told,
  retell: (spared: Spared) => Promise<Told>,
  onReplay: (replays: number) => unknown = () => {},
): Promise<Reduction> {
  const { draws, violations } = whole;
  const rule = violations[0]!.rule;
  let best = whole;
  let spared: Spared = new Set();
  let replays = 0;
  for (let size = draws; size >= 1 && replays < maxReplays; size = Math.floor(size / 2)) {
    for (let end = draws; end > 0 && replays < maxReplays; end -= size) {
      const more = new Set(spared);
      for (let draw = Math.max(0, end - size); draw < end; draw++) more.add(draw);
      if (more.size === spared.size) continue;
      replays += 1;
      onReplay(replays);
      const tried = await retell(more);
      if (tried.violations[0]?.rule !== rule || tried.leading > best.leading) continue;
      spared = more;
      best = tried;
    }
  }
  return { ...best, replays };
}
