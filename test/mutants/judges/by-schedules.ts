import { rm } from 'node:fs/promises';
import { bundleSimulator } from '../../simulation/run/bundle.js';
import { runSeeds } from '../../simulation/run/run-seeds.js';
import { changesOf, type NoticingSuite, type Removal } from '../removal.js';
import { firstLine, type Verdict } from '../verdict.js';

/** Which schedules. */
export interface Schedules {
  /** The first seed. */
  readonly from: number;
  /** How many until a removal counts as unnoticed. */
  readonly maxSchedules: number;
}

/** Plays schedules without the protection until one breaks a rule. */
export async function judgeBySchedules(
  removal: Removal,
  witness: NoticingSuite,
  { from, maxSchedules }: Schedules,
): Promise<Verdict> {
  const { suite } = witness;
  let bundle: string | undefined;
  try {
    bundle = await bundleSimulator(`removal-${process.pid}-${suite}-${removal.name}`, changesOf(removal));
    const order = { suite, from, until: from + maxSchedules, stopsAtFirst: true };
    const { played: schedules, violations } = await runSeeds(bundle, order, 1);
    const [first] = violations;
    if (!first) {
      const detail = `no rule is broken in ${schedules} schedules`;
      return { removal, witness, outcome: 'unnoticed', detail, schedules };
    }
    const { rule, what } = first.violations[0]!;
    const detail = firstLine(`${rule}: ${what}`);
    return { removal, witness, outcome: 'noticed', detail, seed: first.seed, schedules };
  } catch (error) {
    return { removal, witness, outcome: 'broken', detail: firstLine(String(error)) };
  } finally {
    if (bundle) await rm(bundle, { force: true });
  }
}
