import { describe, expect, it } from 'vitest';
import { reduce } from '../../simulation/run/reduce.js';
import type { Told } from '../../simulation/run/told.js';
import { Random, type Spared } from '../../simulation/world/random.js';

/** A world of 400 troubles, of which each strikes or not; the rule is broken when all of `culprits` have struck. */
async function world(culprits: readonly number[], spared?: Spared): Promise<Told> {
  const random = new Random(7, spared);
  const struck = Array.from({ length: 400 }, (_, trouble) => trouble).filter(() => random.chance(0.6));
  const isBroken = culprits.every((culprit) => struck.includes(culprit));
  return {
    seed: 7,
    draws: random.drawn,
    counts: {},
    records: struck.length,
    violations: isBroken ? [{ rule: 'I9', atMs: 0, what: 'broken' }] : [],
    lines: struck.map(String),
    leading: struck.length,
  };
}

describe('the reduction of a schedule that breaks a rule', () => {
  it('leaves the trouble that this takes, and no other', async () => {
    const struck = (await world([])).lines.map(Number);
    const culprits = [struck[11]!, struck[12]!, struck[170]!];
    const reduced = await reduce(await world(culprits), (spared) => world(culprits, spared));
    expect(reduced.lines).toEqual(culprits.map(String));
    expect(reduced.violations).toMatchObject([{ rule: 'I9' }]);
    expect(reduced.replays).toBeLessThan(400);
  });

  it('goes for the rule that was broken first, and not for another one', async () => {
    const [first, second] = (await world([])).lines.map(Number) as [number, number];
    const both = async (spared?: Spared): Promise<Told> => {
      const played = await world([first, second], spared);
      const other = { rule: 'I8', atMs: 0, what: 'another' };
      return { ...played, violations: [...played.violations, other] };
    };
    const reduced = await reduce(await both(), both);
    expect(reduced.lines).toEqual([String(first), String(second)]);
  });
});

it('a draw that is spared brings the simplest, and leaves the others as they are', () => {
  const drawn = (spared?: Spared) => {
    const random = new Random(3, spared);
    const draws = [random.next(), random.between(5, 9), random.whole(2, 4), random.pick(['a', 'b', 'c'])];
    return [...draws, random.chance(0.999), random.spread(10, 1_000), random.next()];
  };
  const whole = drawn();
  expect(drawn(new Set())).toEqual(whole);
  expect(drawn(new Set([0, 1, 2, 3, 4, 5]))).toEqual([0, 5, 2, 'a', false, 10, whole[6]]);
  expect(drawn(new Set([3]))).toEqual(whole.with(3, 'a'));
});
