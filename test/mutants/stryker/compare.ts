import type { Survivor } from './report.js';

/** Why a mutant may live: a test can't tell it from the code, or need not. */
export interface Excuse extends Survivor {
  readonly reason: string;
}

/** What does not match between a run and what was written down. */
export interface Mismatch {
  readonly unexplained: readonly Survivor[];
  readonly outdated: readonly Excuse[];
}

/** One mutant's text. */
export function toKey({ file, line, from, to }: Survivor): string {
  return [file, line, from, to].join('\n');
}

/**
 * Survivors without a reason, and reasons without a survivor.
 *
 * @param files those that the run mutated: it says nothing of others
 */
export function compared(
  survivors: readonly Survivor[],
  excuses: readonly Excuse[],
  files: readonly string[],
): Mismatch {
  const alive = new Set(survivors.map(toKey));
  const excused = new Set(excuses.map(toKey));
  return {
    unexplained: survivors.filter((survivor) => !excused.has(toKey(survivor))),
    outdated: excuses.filter((excuse) => files.includes(excuse.file) && !alive.has(toKey(excuse))),
  };
}
