import { describe, expect, it } from 'vitest';
import { tokenOrder } from '../../chaos/check/token-order.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

const byHand = () => new HandMadeHistory();

describe('the check of the order of tokens (I1)', () => {
  it('finds a token that is below an earlier one', () => {
    const { history } = byHand()
      .granted('a', 'hold/0', 5, [0, 10])
      .granted('b', 'hold/0', 9, [20, 30])
      .granted('c', 'hold/0', 7, [40, 50]);

    const [violation, ...others] = tokenOrder(history);

    expect(others).toEqual([]);
    expect(violation).toMatchObject({
      kind: 'token-order',
      what: '"hold/0" was granted under token 7 after it had been under 9',
      evidence: [{ source: 'b.jsonl:1' }, { source: 'c.jsonl:1' }],
    });
  });

  it('finds a token that was granted twice, also when nobody knows in which order', () => {
    const { history } = byHand().granted('a', 'hold/0', 5, [0, 100]).granted('b', 'hold/0', 5, [50, 60]);

    expect(tokenOrder(history)).toMatchObject([{ what: '"hold/0" was granted twice under token 5' }]);
  });

  it('says nothing of grants whose order nobody knows, of other names, and of rising tokens', () => {
    const { history } = byHand()
      .granted('a', 'hold/0', 6, [0, 100])
      .granted('b', 'hold/0', 5, [50, 160])
      .granted('c', 'hold/1', 1, [200, 210])
      .granted('d', 'hold/0', 7, [200, 210]);

    expect(tokenOrder(history)).toEqual([]);
  });
});
