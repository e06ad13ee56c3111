import { Choices } from './choices.js';
import { type Budget, playSmall, type SmallCase, seconds } from './small-world.js';

/** All small worlds. */
export const cases: readonly SmallCase[] = [false, true].flatMap((supersede) =>
  seconds.flatMap((first) => seconds.map((other) => ({ supersede, second: [first, other] as const }))),
);

/** What came of one small world. */
export interface Enumerated {
  readonly runs: number;
  /** False: time was over before all runs were played. */
  readonly isWhole: boolean;
  readonly violations: readonly { readonly path: readonly number[]; readonly what: string }[];
}

/**
 * Plays every run of a small world, depth first: each from its start, since nothing of a run can be taken back.
 *
 * @param isOver asked after each run, with the number of violations until then
 */
export async function enumerate(
  smallCase: SmallCase,
  budget: Budget,
  isOver: (violations: number) => boolean = () => false,
): Promise<Enumerated> {
  const violations: { path: readonly number[]; what: string }[] = [];
  let runs = 0;
  for (let path: readonly number[] | undefined = []; path; ) {
    const choices: Choices = new Choices(path);
    try {
      const played = await playSmall(smallCase, budget, choices);
      for (const { rule, what } of played.violations)
        violations.push({ path: choices.taken, what: `${rule}: ${what}` });
    } catch (error) {
      violations.push({ path: choices.taken, what: String(error) });
    }
    runs += 1;
    path = choices.next;
    if (path && isOver(violations.length)) return { runs, isWhole: false, violations };
  }
  return { runs, isWhole: true, violations };
}
