import { describe, expect, it } from 'vitest';
import { lineName, maxTickets, readLineItem, TableLines } from '../../../lib/kit/line-store.js';
import type { ItemTable } from '../../../lib/table/index.js';
import { type Item, simulatedNow, simulatedTable } from '../../support/simulated-table.js';

const ticket = (id: string, deadline = simulatedNow) => ({ id, deadline });

function scene() {
  const { context, put, get } = simulatedTable();
  const { table } = context;
  return { table, lines: new TableLines(table), put, line: () => get(lineName('n')) };
}

/** A table of which some calls are done in another way. */
const changed = (table: ItemTable, calls: Partial<ItemTable>) =>
  ({ get: table.get.bind(table), update: table.update.bind(table), ...calls }) as ItemTable;

describe('a line of waiters', () => {
  it('is empty where nobody stands in it, and first come, first in it', async () => {
    const { lines } = scene();
    expect(await lines.readLine('n')).toEqual([]);
    for (const id of ['a', 'b', 'c']) await lines.joinLine('n', ticket(id));
    expect((await lines.readLine('n')).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(await lines.readLine('m')).toEqual([]);
  });

  it('holds each ticket as a text, its deadline rounded up, and is kept a day longer than the last one’s', async () => {
    const { lines, line } = scene();
    await lines.joinLine('n', ticket('a b', 1_700_000_000_000.2));
    expect(await line()).toEqual({
      name: { S: 'n\u001fline' },
      tickets: { L: [{ S: '1700000000001 a b' }] },
      ttl: { N: String(1_700_000_001 + 86_400) },
    });
    expect(await lines.readLine('n')).toEqual([ticket('a b', 1_700_000_000_001)]);
  });

  it('is joined once, however often it is asked for', async () => {
    const { lines, table } = scene();
    await lines.joinLine('n', ticket('a'));
    await lines.joinLine('n', ticket('b'));
    await lines.joinLine('n', ticket('a'));
    // The store need not show the item that refused.
    const silent = changed(table, {
      update: async (...args) => ({ ...(await table.update(...args)), item: undefined }),
    });
    await new TableLines(silent).joinLine('n', ticket('a'));
    expect(await lines.readLine('n')).toEqual([ticket('a'), ticket('b')]);
  });

  it('takes a hundred tickets, and the next when one has left', async () => {
    const { lines, table } = scene();
    expect(maxTickets).toBe(100);
    for (let i = 0; i < 100; i++) await lines.joinLine('n', ticket(`t${i}`));
    await expect(lines.joinLine('n', ticket('late'))).rejects.toMatchObject({
      name: 'LineFullError',
      lockName: 'n',
      message: expect.stringContaining('100'),
    });
    // The refusal shows the line: nothing more is asked.
    const writeOnly = changed(table, { get: () => Promise.reject(new Error('a read')) });
    await expect(new TableLines(writeOnly).joinLine('n', ticket('late'))).rejects.toThrow(/100/);
    // An answer that was lost: it stands there.
    await lines.joinLine('n', ticket('t99'));
    await lines.leaveLine('n', ticket('t50'));
    await lines.joinLine('n', ticket('late'));
    expect((await lines.readLine('n')).at(-1)).toEqual(ticket('late'));
  });

  it('is left from any place, and by one that is not there without a write', async () => {
    const { lines, table } = scene();
    for (const id of ['a', 'b', 'c']) await lines.joinLine('n', ticket(id));
    await lines.leaveLine('n', { id: 'b' });
    expect((await lines.readLine('n')).map(({ id }) => id)).toEqual(['a', 'c']);
    const readOnly = changed(table, { update: () => Promise.reject(new Error('a write')) });
    await new TableLines(readOnly).leaveLine('n', { id: 'b' });
    await new TableLines(readOnly).leaveLine('m', { id: 'a' });
    await lines.leaveLine('n', { id: 'a' });
    await lines.leaveLine('n', { id: 'c' });
    expect(await lines.readLine('n')).toEqual([]);
  });

  it.each([
    [4, ['x4', 'x5']],
    [5, ['x5', 'a']],
  ])(
    'that moves while somebody leaves it is read again, five times in all: it moves %d times',
    async (moves, left) => {
      const { lines, table } = scene();
      for (const id of ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'a']) await lines.joinLine('n', ticket(id));
      let moved = 0;
      const moving = changed(table, {
        update: async (...args) => {
          if (moved < moves) await lines.leaveLine('n', { id: `x${moved++}` });
          return table.update(...args);
        },
      });
      await new TableLines(moving).leaveLine('n', { id: 'a' });
      expect((await lines.readLine('n')).map(({ id }) => id)).toEqual(left);
    },
  );

  it.each<[string, Item]>([
    ['what is no list', { tickets: { S: 'a' } }],
    ['a ticket without a deadline', { tickets: { L: [{ S: 'soon a' }] } }],
    ['a ticket without an id', { tickets: { L: [{ S: '17 ' }] } }],
    ['a number', { tickets: { L: [{ N: '17' }] } }],
  ])('is refused as none of ours: %s', async (_, tickets) => {
    const { lines, put } = scene();
    await put({ name: { S: lineName('n') }, ...tickets });
    const refusal = { name: 'UsageError', lockName: 'n' };
    await expect(lines.readLine('n')).rejects.toMatchObject(refusal);
    await expect(lines.leaveLine('n', ticket('a'))).rejects.toMatchObject(refusal);
  });

  it('is not begun in an item of somebody else’s', async () => {
    const { lines, put, line } = scene();
    const theirs = { name: { S: lineName('n') }, owner: { S: 'them' } };
    await put(theirs);
    await expect(lines.joinLine('n', ticket('a'))).rejects.toThrow();
    expect(await line()).toEqual(theirs);
  });

  it('is known among the items of a listing by its key, with its lock and how many stand in it', () => {
    const key = lineName('a\u001fline');
    expect(readLineItem({ name: key, tickets: ['1 a', '2 b'] })).toEqual({ name: 'a\u001fline', inLine: 2 });
    expect(readLineItem({ name: key, tickets: [] })).toMatchObject({ inLine: 0 });
    for (const none of [
      { name: 'a', tickets: ['1 a'] },
      { name: key },
      { name: key, tickets: 'a' },
      { tickets: [] },
    ])
      expect(readLineItem(none as never)).toBeUndefined();
  });

  it('its requests end with their signal', async () => {
    const { lines } = scene();
    const signal = AbortSignal.abort(new Error('enough'));
    await lines.joinLine('n', ticket('a'));
    await expect(lines.readLine('n', signal)).rejects.toThrow('enough');
    await expect(lines.joinLine('n', ticket('b'), signal)).rejects.toThrow('enough');
    await expect(lines.leaveLine('n', ticket('a'), signal)).rejects.toThrow('enough');
  });
});
