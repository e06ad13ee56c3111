import { expect, it } from 'vitest';
import { lineOrder } from '../../chaos/check/line-order.js';
import type { JournalRecord, Logged } from '../../chaos/history/records.js';

const name = 'line/0';

/** A go at standing in line: asks, queues, looks each 100 ms until it is granted the lock, and leaves. */
function turn(
  id: string,
  askedMs: number,
  grantedMs: number,
  silent: readonly [number, number] = [0, 0],
): JournalRecord[] {
  const looks: JournalRecord[] = [];
  for (let atMs = askedMs + 50; atMs < grantedMs + 100; atMs += 100) {
    if (atMs > silent[0] && atMs < silent[1]) continue;
    looks.push({ kind: 'looked', name, turn: id, sinceMs: atMs - 10, atMs });
  }
  return [
    { kind: 'asks', name, turn: id, atMs: askedMs },
    { kind: 'queued', name, turn: id, atMs: askedMs + 20 },
    ...looks,
    { kind: 'turn', name, turn: id, token: grantedMs, atMs: grantedMs },
    { kind: 'line-left', name, turn: id, atMs: grantedMs + 100 },
  ];
}

const logged = (...turns: JournalRecord[][]): Logged[] =>
  turns
    .flat()
    .sort((a, b) => a.atMs - b.atMs)
    .map((record, line) => ({ ...record, source: `a:${line}` }));

it('first come, first served: nothing is violated, and it was looked at', () => {
  expect(lineOrder(logged(turn('a', 0, 2_000), turn('b', 500, 2_400)))).toMatchObject({
    turns: 2,
    compared: 1,
    violations: [],
  });
});

it('somebody who came later is granted the lock before who stands in line and is alive', () => {
  const { violations } = lineOrder(logged(turn('a', 0, 4_000), turn('b', 500, 2_400)));
  expect(violations).toMatchObject([
    { kind: 'line-order', what: expect.stringMatching(/granted to b.*after a/) },
  ]);
});

it('who comes past a line without a ticket of its own violates it, too', () => {
  const past = turn('b', 500, 2_400).filter(({ kind }) => kind !== 'queued');
  expect(lineOrder(logged(turn('a', 0, 4_000), past)).violations).toHaveLength(1);
});

it('of who was silent meanwhile nobody can tell, nor of who came at about the same time', () => {
  const nobody = { violations: [] };
  expect(lineOrder(logged(turn('a', 0, 4_000, [1_000, 1_900]), turn('b', 500, 2_400)))).toMatchObject(nobody);
  expect(lineOrder(logged(turn('a', 0, 4_000), turn('b', 500, 2_400, [1_000, 1_900])))).toMatchObject(nobody);
  expect(lineOrder(logged(turn('a', 0, 4_000), turn('b', 10, 2_400)))).toMatchObject(nobody);
});

it('a process that was killed while it waited says nothing more', () => {
  const killed = turn('a', 0, 4_000).filter(({ atMs, kind }) => atMs < 1_500 && kind !== 'line-left');
  expect(lineOrder(logged(killed, turn('b', 500, 2_400))).violations).toEqual([]);
});
