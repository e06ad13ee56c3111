import { describe, expect, it } from 'vitest';
import { tooManyHolders } from '../../chaos/check/permit-holders.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

const semaphore = { name: 'permits/0', permits: 2 };
const two = () =>
  new HandMadeHistory()
    .granted('a', 'permits/0#0', 1, [0, 10])
    .held('a', 'permits/0#0', 1, 100)
    .granted('b', 'permits/0#1', 1, [0, 20])
    .held('b', 'permits/0#1', 1, 200);

describe('the check for too many holders of permits', () => {
  it('finds a third holder of two permits beyond doubt, by either clock, and names the lines', () => {
    const { history } = two().granted('c', 'permits/0#2', 1, [0, 50]).held('c', 'permits/0#2', 1, 90);
    const violations = tooManyHolders(history, semaphore);
    expect(violations.map(({ what }) => what)).toEqual([
      '"permits/0" has 3 holders of 2 permits at the same time by store time',
      '"permits/0" has 3 holders of 2 permits at the same time by the machine\'s clock',
    ]);
    expect(violations[0]!.evidence).toHaveLength(6);
    expect(tooManyHolders(history, { ...semaphore, permits: 3 })).toEqual([]);
  });

  it('says nothing of who comes when another has gone, of one that nobody witnessed, and of other names', () => {
    const { history } = two()
      .granted('c', 'permits/0#0', 2, [0, 100])
      .held('c', 'permits/0#0', 2, 150)
      .granted('d', 'permits/0#2', 1, [0, 30])
      .granted('e', 'permits/1#0', 1, [0, 30])
      .held('e', 'permits/1#0', 1, 150);
    expect(tooManyHolders(history, semaphore)).toEqual([]);
  });
});
