import { describe, expect, it } from 'vitest';
import { Choices } from '../../simulation/exhaustive/choices.js';
import { cases } from '../../simulation/exhaustive/enumerate.js';
import { bundleSimulator } from '../../simulation/run/bundle.js';
import { budgetsOf } from '../../simulation/run/exhaust.js';
import { runSmall } from '../../simulation/run/run-small.js';
import { bySize } from '../../support/size.js';

/** The small world in which both write under a fence. All of them: `npm run sim -- --exhaustive`. */
const played = cases.flatMap(({ supersede, second }, index) =>
  !supersede && second.every((what) => what === 'write') ? [index] : [],
);

/** A pause has the most runs, as many as the other three. */
const budgets = bySize({ short: budgetsOf(1).filter(({ pauses }) => pauses === 0), long: budgetsOf(1) });

describe('every run of a small world', () => {
  it('I1 to I8: none breaks a rule, with one crash, lost or doubled message, or long pause', async () => {
    const bundle = await bundleSimulator('small', [], 'exhaustive-main.ts');
    const results = await runSmall(bundle, budgets, 1, 60_000, played);
    expect(results).toHaveLength(budgets.length);
    expect(results.flatMap(({ violations }) => violations)).toEqual([]);
    expect(results.every(({ isWhole, runs }) => isWhole && runs > 10)).toBe(true);
  });

  it('I3: a rule that is broken in one of them is found', async () => {
    const unfenced = {
      file: 'lib/fence/fence-condition.ts',
      find: 'const notOvertaken = `@{fence} <= @{token}`;'.replaceAll('@', '$'),
      replace: 'const notOvertaken = `attribute_exists(@{fence})`;'.replaceAll('@', '$'),
    };
    const aPause = { crashes: 0, losses: 0, doubles: 0, pauses: 1 };
    const bundle = await bundleSimulator('small-unfenced', [unfenced], 'exhaustive-main.ts');
    const results = await runSmall(bundle, [aPause], 1, 60_000, played, true);
    const violations = results.flatMap((result) => result.violations);
    expect(violations.map(({ what }) => what).join()).toMatch(/I3: data\/lock\/a accepts \d+ after \d+/);
  });

  it('finds each path once, in the order of the choices', () => {
    const paths: string[] = [];
    for (let path: readonly number[] | undefined = []; path; ) {
      const choices: Choices = new Choices(path);
      const first = choices.choose(2);
      // The first way has another choice, of three.
      if (first === 0) choices.choose(3);
      paths.push(choices.taken.join());
      path = choices.next;
    }
    expect(paths).toEqual(['0,0', '0,1', '0,2', '1']);
  });
});
