import { describe, expect, it } from 'vitest';
import * as models from '../../linear/models.js';
import { unexplained } from '../../linear/of-chaos.js';
import { explain } from '../../linear/search.js';
import { bundleSimulator } from '../../simulation/run/bundle.js';
import { runSeeds } from '../../simulation/run/run-seeds.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

const at = (fromMs: number, toMs: number) => ({ fromMs, toMs });

describe('an independent reading of histories', () => {
  it('explains what overlaps by any order, and nothing that does not', () => {
    const first = models.granted(at(0, 10), 'a', 5);
    const second = models.granted(at(5, 20), 'b', 7);
    expect(explain([second, first], models.lock)).toMatchObject({ kind: 'explained' });
    const late = models.granted(at(11, 20), 'b', 4);
    expect(explain([first, late], models.lock)).toMatchObject({ kind: 'impossible' });
  });

  it('tells long histories apart to their end', () => {
    const answers = Array.from({ length: 200 }, (_, index) =>
      models.worked(at(20 + index, 20 + index), 'a', 'held'),
    );
    // Asked for long before, and given only when the other was done.
    const operations = [models.granted(at(10, 11), 'a', 5), ...answers, models.granted(at(0, 500), 'b', 7)];
    expect(explain(operations, models.lock)).toMatchObject({ kind: 'explained' });
  });

  it('I2: finds work under two leases by turns', () => {
    const operations = [
      models.granted(at(0, 10), 'a', 5),
      models.granted(at(20, 30), 'b', 7),
      models.worked(at(40, 50), 'b', 'save'),
      models.worked(at(60, 70), 'a', 'save'),
    ];
    const found = explain(operations, models.lock);
    expect(found).toMatchObject({ kind: 'impossible', stuck: ['save under a (60 to 70)'] });
    // Called before the other's grant it may have come in time.
    const overlapping = [...operations.slice(0, 3), models.worked(at(15, 70), 'a', 'save')];
    expect(explain(overlapping, models.lock)).toMatchObject({ kind: 'explained' });
  });

  it('I3, I7: finds an older token at a fence, a refusal without cause, and a grant of what is completed', () => {
    expect(explain([models.wrote(at(0, 1), 7), models.wrote(at(2, 3), 5)], models.fence).kind).toBe(
      'impossible',
    );
    expect(explain([models.refused(at(2, 3), 5)], models.fence).kind).toBe('impossible');
    // One whose answer never came may be what the refusal met.
    const perhaps = models.wrote(at(0, Number.POSITIVE_INFINITY), 7, true);
    expect(explain([perhaps, models.refused(at(2, 3), 5)], models.fence).kind).toBe('explained');
    const completed = [models.granted(at(0, 1), 'a', 5), models.completed(at(2, 3), 'a')];
    expect(explain([...completed, models.granted(at(4, 5), 'b', 7)], models.lock).kind).toBe('impossible');
  });

  it('reads what chaos’ workers wrote down', () => {
    const history = new HandMadeHistory()
      .granted('a', 'hold/0', 1, [0, 10])
      .held('a', 'hold/0', 1, 100)
      .granted('b', 'hold/0', 2, [20, 50])
      .added('a', 'fenced/0', 'x', 4, [0, 10])
      .added('b', 'fenced/0', 'y', 3, [20, 30]).history;
    expect(unexplained(history, ['fenced/0']).map(({ kind }) => kind)).toEqual([
      'unexplained',
      'unexplained',
    ]);
  });

  // Hand-overs have both often enough. The first seed is a little before one that has it: there is less to play until then.
  it.each([
    {
      what: 'a fence that takes older tokens',
      file: 'lib/fence/fence-condition.ts',
      find: 'const notOvertaken = `@{fence} <= @{token}`;',
      replace: 'const notOvertaken = `@{fence} <= @{token} OR @{fence} > @{token}`;',
      from: 1,
    },
    {
      what: 'a refusal that is told as done',
      file: 'lib/lease/refused-writes.ts',
      find: 'if (item.leaseId !== lease.leaseId) return false;',
      replace: 'if (item.leaseId !== undefined) return true;',
      from: 40,
    },
  ])(
    'I1 to I4: notices $what in the simulator’s histories',
    async ({ what, file, find, replace, from: first }) => {
      const [from, to] = [find.replaceAll('@', '$'), replace.replaceAll('@', '$')];
      const bundle = await bundleSimulator(`linear ${what}`, [{ file, find: from, replace: to }]);
      const order = {
        suite: 'hand-over',
        from: first,
        until: 240,
        stopsAtFirst: true,
        rule: 'linear',
      } as const;
      const { violations } = await runSeeds(bundle, order, 1);
      expect(violations).toHaveLength(1);
    },
  );
});
