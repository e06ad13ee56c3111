import { expect, it } from 'vitest';
import { byBytes } from '../../../lib/scan/results/inventory.js';
import { KnownFolders } from '../../../lib/scan/steal/known-folders.js';

it('groups are told the largest first, then those of more objects, then by name', () => {
  const groups = [
    ['c', [1, 5]],
    ['b', [1, 5]],
    ['d', [2, 5]],
    ['a', [1, 9]],
    ['e', [9, 1]],
  ] as const;
  const names = [...groups].sort(byBytes).map(([name]) => name);
  expect(names).toEqual(['a', 'd', 'b', 'c', 'e']);
  expect(byBytes(['b', [1, 5]], ['c', [1, 5]])).toBeLessThan(0);
  expect(byBytes(['c', [1, 5]], ['b', [1, 5]])).toBeGreaterThan(0);
});

it.each([
  [['a/', 'b/', 'c/'], 3],
  [['x/a/', 'x/b/', 'y/c/', 'y/d/'], 2],
  [['x/1/', 'y/1/', 'z/1/'], 1],
  [['a/b/c/', 'a/b/d/', 'a/e/f/'], 1.5],
  // A name may be empty.
  [['x//', 'x/a/'], 2],
])('folders %j: %d in one above', (paths, perFolder) => {
  expect(new KnownFolders(paths, '').perFolder).toBe(perFolder);
});
