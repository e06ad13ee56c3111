import { startMs } from '../world/cluster.js';
import type { Spared } from '../world/random.js';
import { traceLine } from '../world/trace.js';
import { type Played, play, type Suite } from './play.js';

/** A schedule in words. */
export interface Told extends Played {
  readonly lines: readonly string[];
  /** How many of the lines lead up to the first violation; all, if there is none or it shows at the end only. */
  readonly leading: number;
}

/** Plays a schedule and tells what happens in it. */
export async function tell(suite: Suite, seed: number, spared?: Spared): Promise<Told> {
  const lines: string[] = [];
  const atMs: number[] = [];
  const played = await play(
    suite,
    seed,
    (...line) => {
      atMs.push(line[0]);
      lines.push(traceLine(...line));
    },
    spared,
  );
  const brokenAtMs = (played.violations[0]?.atMs ?? 0) - startMs;
  const next = brokenAtMs < 0 ? -1 : atMs.findIndex((lineAtMs) => lineAtMs > brokenAtMs);
  return { ...played, lines, leading: next < 0 ? lines.length : next };
}
