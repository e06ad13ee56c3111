import type { Suite } from '../simulation/run/play.js';
import type { SourceChange } from '../support/source-change.js';

/** A test that must fail without the protection. */
export interface NoticingTest {
  /** From the repository's root. */
  readonly file: string;
  /** The test's own title, without its suites'. */
  readonly title: string;
}

/** Schedules of the simulator, some of which must break a rule without the protection. */
export interface NoticingSuite {
  readonly suite: Suite;
}

/** Who must notice. */
export type Witness = NoticingTest | NoticingSuite;

/** A protection that is taken out of the code. */
export type Removal = {
  /** What it protects from, in a phrase, behind its subject. Unique: `--only` names it by some of its words. */
  readonly name: string;
  /** Each must notice. */
  readonly noticedBy: readonly Witness[];
} & (SourceChange | Changes);

/** Several at once, where protections cover the same and each alone is not missed. */
interface Changes {
  readonly changes: readonly SourceChange[];
}

/** All changes of a removal. What stands in their place must still be loaded. */
export function changesOf(removal: Removal): readonly SourceChange[] {
  return 'changes' in removal ? removal.changes : [removal];
}

/** Where a removal changes something, for people. */
export function filesOf(removal: Removal): string {
  return [...new Set(changesOf(removal).map(({ file }) => file))].join(', ');
}

/** A witness in words. */
export function shown(witness: Witness): string {
  return 'suite' in witness ? `suite ${witness.suite}` : `${witness.file}: ${witness.title}`;
}
