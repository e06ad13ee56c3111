import { describe, expect, it } from 'vitest';
import { findFolders } from '../../../lib/scan/plan/plan-cuts.js';
import { planningOf } from '../../support/scan/planning.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => String(index).padStart(4, '0'));

async function foldersOf(
  keys: readonly string[],
  wanted: number,
  { limit = 100, prefix = '' }: { limit?: number; prefix?: string } = {},
) {
  const { bucket, requests } = planningOf({ keys, limit, prefix });
  const folders = await findFolders(requests, wanted);
  return { folders, bucket, asked: bucket.asked.map(({ Prefix }) => Prefix) };
}

describe('the folders that a plan looks for', () => {
  it('are opened level by level, until there are eight for each slice', async () => {
    const keys = ['a', 'b', 'c'].flatMap((top) => ['x', 'y', 'z'].map((below) => `${top}/${below}/q/1`));
    const { folders, asked } = await foldersOf(keys, 1);
    expect(folders).toEqual(['a/x/', 'a/y/', 'a/z/', 'b/x/', 'b/y/', 'b/z/', 'c/x/', 'c/y/', 'c/z/']);
    expect(asked).toEqual(['', 'a/', 'b/', 'c/']);
  });

  it('begin with the run’s prefix, whether it is a folder or not', async () => {
    const { folders, asked } = await foldersOf(['e/4/1', 'e/5/1', 'f/1'], 1, { prefix: 'e/' });
    expect([folders, asked[0]]).toEqual([['e/4/', 'e/5/'], 'e/']);
    const inNone = await foldersOf(['p-1/1', 'p-2/1', 'q/1'], 1, { prefix: 'p-' });
    expect([inNone.folders, inNone.asked[0]]).toEqual([['p-1/', 'p-2/'], 'p-']);
  });

  it('are opened by whole levels, or not: half of a level would make the rest look small', async () => {
    const keys = range(6).flatMap((top) => range(3).map((below) => `${top}/${below}/1`));
    expect((await foldersOf(keys, 2, { limit: 6 })).asked).toEqual(['']);
    expect((await foldersOf(keys, 2, { limit: 7 })).folders).toHaveLength(18);
  });

  it('are left whole where the first eight hold none, and where one holds more than fit into an answer', async () => {
    const flat = range(40).map((top) => `${top}/1`);
    const { folders, asked } = await foldersOf(flat, 6);
    expect(folders).toHaveLength(40);
    expect(asked).toHaveLength(1 + 8);
    const { folders: some } = await foldersOf(['a/1', 'b/x/1', 'b/y/1'], 1);
    expect(some).toEqual(['a/', 'b/x/', 'b/y/']);
  });

  it('are only those inside of the one that was asked for: an S3 with ideas of its own sends no plan in circles', async () => {
    const answers: Readonly<Record<string, readonly string[]>> = {
      '': ['b/', '', 'a/'],
      'a/': ['a/', 'a/2/', 'b/z/', 'a/1/', ''],
      'b/': ['b/'],
      'a/1/': ['a/1/'],
      'a/2/': [],
    };
    const asked: string[] = [];
    const requests = {
      ...{ prefix: '', left: 50 },
      foldersIn: async (path: string) => {
        asked.push(path);
        return answers[path];
      },
    };
    expect(await findFolders(requests as never, 2)).toEqual(['a/1/', 'a/2/', 'b/']);
    expect(asked).toEqual(['', 'a/', 'b/', 'a/1/', 'a/2/']);
  });

  it('are none where there is but one, or where listing them is denied', async () => {
    expect((await foldersOf(['one/1', 'one/2'], 4)).folders).toEqual([]);
    expect((await foldersOf(['1', '2'], 4)).folders).toEqual([]);
    const { bucket, requests } = planningOf({ keys: ['a/1', 'b/1'] });
    bucket.trouble = () => {
      throw Object.assign(new Error('as asked'), { name: 'AccessDenied' });
    };
    expect(await findFolders(requests, 4)).toEqual([]);
    expect(bucket.asked).toHaveLength(1);
  });

  it('are in the order of UTF-8, and no more than a seat can read at its start', async () => {
    expect((await foldersOf(['\uff5e/1', '\u{1f600}/1', 'a/1'], 1)).folders).toEqual([
      'a/',
      '\uff5e/',
      '\u{1f600}/',
    ]);
    const long = range(8).flatMap((top) => range(40).map((below) => `${top}/${below}${'x'.repeat(200)}/1`));
    expect((await foldersOf(long, 8)).folders).toEqual(range(8).map((top) => `${top}/`));
  });
});
