import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../lib/errors/index.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { type ListedTable, namesInGroup, scan } from '../../../lib/table/later-dynamo.js';

/** A store whose pages end with these items, the last one for ever. */
function tableOf(...ends: string[]): ListedTable & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const call = async ({ input }: { readonly input: { readonly ExclusiveStartKey?: unknown } }) => {
    const end = ends[Math.min(asked.length, ends.length - 1)] as string;
    asked.push(input.ExclusiveStartKey);
    if (asked.length > 20) throw new Error('asked without end');
    return { Items: [], LastEvaluatedKey: end === '' ? undefined : { name: { S: end } } };
  };
  return { tableName: 'leases', runtime: systemRuntime, call, asked };
}

async function pagesOf(listing: AsyncIterable<unknown>): Promise<number> {
  let pages = 0;
  for await (const _ of listing) pages += 1;
  return pages;
}

describe('a listing of the table', () => {
  it.each([
    ['of all items', scan],
    ['of a group', (table: ListedTable) => namesInGroup(table, 'nightly')],
  ])('%s ends with an error where a page ends with the same item as the one before', async (_, list) => {
    const table = tableOf('a', 'b');
    await expect(pagesOf(list(table))).rejects.toBeInstanceOf(StoreError);
    expect(table.asked).toHaveLength(3);
  });

  it('goes on after pages that have no item', async () => {
    const table = tableOf('a', 'b', 'c', '');
    expect(await pagesOf(scan(table))).toBe(4);
    expect(table.asked.slice(1)).toEqual(['a', 'b', 'c'].map((name) => ({ name: { S: name } })));
  });
});
