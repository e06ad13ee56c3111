import type { SourceChange } from '../../simulation/run/bundle.js';
import type { Suite } from '../../simulation/run/play.js';

/** One protection, taken out. */
export interface Mutant {
  /** The protection's name. */
  readonly name: string;
  /** The kind of schedule that is to notice. */
  readonly suite: Suite;
  /** More than one where two protections cover the same: each alone is not missed. */
  readonly changes: readonly SourceChange[];
}

/** Mutants of one file. */
export function mutantsOf(
  suite: Suite,
  file: string,
  rows: readonly (readonly [name: string, find: string, replace: string])[],
): Mutant[] {
  return rows.map(([name, find, replace]) => ({ suite, name, changes: [{ file, find, replace }] }));
}

/** Some mutants at once, as one. */
export function together(name: string, mutants: readonly Mutant[]): Mutant {
  return { name, suite: mutants[0]!.suite, changes: mutants.flatMap(({ changes }) => changes) };
}
