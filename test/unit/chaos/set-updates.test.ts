import { describe, expect, it } from 'vitest';
import {
  type FinalSets,
  fenceOrder,
  foreignElements,
  lostFencedUpdates,
  lostUpdates,
} from '../../chaos/check/set-updates.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

const byHand = () => new HandMadeHistory();
const sets = (elements: Record<string, string[]>): FinalSets =>
  new Map(Object.entries(elements).map(([name, of]) => [name, new Set(of)]));

describe('the checks of the sets', () => {
  it('finds an acknowledged update that is gone, and who wrote next', () => {
    const { history } = byHand()
      .added('a', 'fenced/0', 'x', 1, [0, 10])
      .added('b', 'fenced/0', 'y', 2, [20, 30]);

    expect(lostFencedUpdates(history, sets({ 'fenced/0': ['y'] }), ['fenced/0'])).toMatchObject([
      {
        kind: 'lost-update',
        what: '"fenced/0" has lost x, written and acknowledged under token 1',
        evidence: [{ source: 'a.jsonl:2' }, { source: 'b.jsonl:2' }],
      },
    ]);
  });

  it('lets an update of which nobody knows be there or not', () => {
    const { history } = byHand().added('a', 'fenced/0', 'x', 1, [0]).added('b', 'fenced/0', 'y', 2, [5]);
    const final = sets({ 'fenced/0': ['y'] });

    expect(lostFencedUpdates(history, final, ['fenced/0'])).toEqual([]);
    expect(foreignElements(history, final)).toEqual([]);
  });

  it('counts only the sets that it was asked about', () => {
    const { history } = byHand()
      .added('a', 'plain/0', 'x', 1, [0, 10])
      .added('a', 'fenced/0', 'z', 1, [0, 10]);

    expect(lostUpdates(history, sets({}), ['plain/0'])).toMatchObject([{ element: 'x' }]);
  });

  it('finds an element that nobody wrote, or wrote elsewhere', () => {
    const { history } = byHand().added('a', 'plain/0', 'x', 1, [0, 10]);

    expect(foreignElements(history, sets({ 'plain/0': ['x', '?'], 'plain/1': ['x'] }))).toMatchObject([
      { kind: 'foreign-element', what: '"plain/0" holds "?", which nobody wrote' },
      { what: '"plain/1" holds "x", which nobody wrote' },
    ]);
  });

  it('I3 finds a token that was accepted after a higher one', () => {
    const { history } = byHand()
      .added('b', 'fenced/0', 'y', 2, [0, 10])
      .added('a', 'fenced/0', 'x', 1, [20, 30]);

    expect(fenceOrder(history, ['fenced/0'])).toMatchObject([
      { kind: 'fence-order', what: '"fenced/0" accepted token 1 after token 2' },
    ]);
    expect(fenceOrder(history, ['fenced/1'])).toEqual([]);
  });

  it('I3 says nothing of two writes under one token, nor of writes whose order nobody knows', () => {
    const { history } = byHand()
      .added('a', 'fenced/0', 'x', 1, [0, 10])
      .added('a', 'fenced/0', 'y', 1, [20, 60])
      .added('b', 'fenced/0', 'z', 2, [40, 50]);

    expect(fenceOrder(history, ['fenced/0'])).toEqual([]);
  });
});
