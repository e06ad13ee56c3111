import { describe, expect, it } from 'vitest';
import { twoHolders } from '../../chaos/check/two-holders.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

const byHand = () => new HandMadeHistory();

describe('the check for two holders (I2)', () => {
  it('finds two stays that overlap beyond doubt, by either clock, and names the lines', () => {
    const { history } = byHand()
      .granted('a', 'hold/0', 1, [0, 10])
      .held('a', 'hold/0', 1, 100)
      .granted('b', 'hold/0', 2, [0, 50])
      .held('b', 'hold/0', 2, 120);

    const violations = twoHolders(history);

    expect(violations.map(({ kind }) => kind)).toEqual(['two-holders', 'two-holders']);
    expect(violations[0]?.what).toContain('token 1 and under token 2 at the same time, for 50.0 ms');
    expect(violations[0]?.evidence).toMatchObject([
      { source: 'a.jsonl:1' },
      { source: 'a.jsonl:2' },
      { source: 'b.jsonl:1' },
      { source: 'b.jsonl:2' },
    ]);
  });

  it("finds an overlap that only the machine's clock shows", () => {
    const { history } = byHand()
      .granted('a', 'hold/0', 1, [0, 10])
      .held('a', 'hold/0', 1, 100, 20)
      .granted('b', 'hold/0', 2, [0, 50])
      .held('b', 'hold/0', 2, 120, 60);

    expect(twoHolders(history).map(({ what }) => what)).toEqual([
      expect.stringContaining("by the machine's clock"),
    ]);
  });

  it('finds a short stay within a long one, with others in between', () => {
    const { history } = byHand()
      .granted('a', 'hold/0', 1, [0, 0])
      .held('a', 'hold/0', 1, 1_000)
      .granted('b', 'hold/1', 7, [0, 100])
      .held('b', 'hold/1', 7, 900)
      .granted('c', 'hold/0', 2, [0, 800])
      .held('c', 'hold/0', 2, 810);

    expect(twoHolders(history)).toHaveLength(2);
  });

  it('counts a holder that was stopped only up to the last answer from before', () => {
    // Stopped from 100 on: it wrote nothing down until it was asked again, and then it did not hold any more.
    const { history } = byHand()
      .granted('a', 'hold/0', 1, [0, 10])
      .held('a', 'hold/0', 1, 100)
      .granted('b', 'hold/0', 2, [0, 4_000])
      .held('b', 'hold/0', 2, 4_100);

    expect(twoHolders(history)).toEqual([]);
  });

  it('says nothing of stays that touch, of one that nobody witnessed, and of different names', () => {
    const { history } = byHand()
      .granted('a', 'hold/0', 1, [0, 10])
      .held('a', 'hold/0', 1, 100)
      .granted('b', 'hold/0', 2, [0, 100])
      .held('b', 'hold/0', 2, 200)
      .granted('c', 'hold/0', 3, [0, 150])
      .granted('d', 'hold/1', 3, [0, 20])
      .held('d', 'hold/1', 3, 300);

    expect(twoHolders(history)).toEqual([]);
  });

  it('joins a stay only with a grant of the same process', () => {
    const { history } = byHand()
      .granted('worker-1-0', 'hold/0', 1, [0, 10])
      .held('worker-1-1', 'hold/0', 1, 500)
      .granted('worker-2-0', 'hold/0', 2, [0, 100])
      .held('worker-2-0', 'hold/0', 2, 400);

    expect(twoHolders(history)).toEqual([]);
  });
});
