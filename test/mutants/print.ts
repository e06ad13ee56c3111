import { filesOf, type Removal, shown } from './removal.js';
import type { Verdict } from './verdict.js';

/** Prints what there is to take out. */
export function list(removals: readonly Removal[], asJson = false): void {
  if (asJson) {
    console.log(JSON.stringify(removals));
    return;
  }
  for (const removal of removals) {
    console.log(`${removal.name}  (${filesOf(removal)})`);
    for (const witness of removal.noticedBy) console.log(`    ${shown(witness)}`);
  }
}

/**
 * Prints what became of the removals.
 *
 * @param failing tests that fail with nothing taken out
 * @returns whether all is as it should be
 */
export function report(verdicts: readonly Verdict[], failing: readonly string[], asJson = false): boolean {
  const isClean = failing.length === 0 && verdicts.every(({ outcome }) => outcome === 'noticed');
  const removals = new Set(verdicts.map(({ removal }) => removal));
  for (const title of failing) console.error(`fails or does not run with nothing taken out: ${title}`);
  if (asJson) {
    const results = verdicts.map(({ removal, ...rest }) => ({
      name: removal.name,
      files: filesOf(removal),
      ...rest,
    }));
    console.log(JSON.stringify({ isClean, removals: removals.size, results, failing }));
    return isClean;
  }
  for (const verdict of verdicts) print(verdict);
  const missed = new Set(verdicts.filter(({ outcome }) => outcome !== 'noticed').map((v) => v.removal));
  console.log(`\n${removals.size - missed.size} of ${removals.size} removals were noticed`);
  return isClean;
}

function print({ removal, witness, outcome, detail, seed, schedules }: Verdict): void {
  const by = 'suite' in witness ? `suite ${witness.suite}` : 'test';
  const where = seed === undefined ? '' : `, seed ${seed}, after ${schedules}`;
  console.log(`${outcome === 'noticed' ? outcome : outcome.toUpperCase()}  ${removal.name}  (${by}${where})`);
  if (outcome !== 'noticed') console.log(`    ${detail}; ${shown(witness)}`);
}
