import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFiles, textsOf } from '../../support/test-titles.js';

const tests = dirname(dirname(import.meta.dirname));
const page = join(tests, '..', 'docs', 'cases.md');
const numbered = (list: 'C' | 'D', count: number) =>
  Array.from({ length: count }, (_, i) => `${list}${String(i + 1).padStart(2, '0')}`);
const ids = [...numbered('C', 50), ...numbered('D', 51)];

interface NamedTest {
  readonly file: string;
  readonly name: string;
}

const rows = (await readFile(page, 'utf8'))
  .split('\n')
  .filter((line) => /^\| [CD]\d+ \|/.test(line))
  .map((line) => {
    const [, id, reported, done, named] = line.split('|').map((cell) => cell.trim());
    const links = named!.matchAll(/\[[^\]]+\]\(\.\.\/test\/([^)]+)\) “([^”]+)”/g);
    const list: NamedTest[] = [...links].map(([, file, name]) => ({ file: file!, name: name! }));
    return { id: id!, reported: reported!, done: done!, named: list };
  });

describe('the page of known troubles', () => {
  it('has one row for each, in order, with where it was reported and what is done about it', () => {
    expect(rows.map(({ id }) => id)).toEqual(ids);
    for (const { reported, done } of rows) expect(reported && done).not.toBe('');
  });

  it.each(rows)('$id names tests that exist, and one of them quotes its id', ({ id, named }) => {
    expect(named.length).toBeGreaterThan(0);
    let quoted = 0;
    for (const { file, name } of named) {
      const found = textsOf(join(tests, file)).filter((text) => text.includes(name));
      expect(found, `${file} has no test “${name}”`).not.toEqual([]);
      if (found.some((text) => text.includes(id))) quoted += 1;
    }
    expect(quoted, `no test of its row quotes ${id}`).toBeGreaterThan(0);
  });

  it('lists every id that a test quotes, and every id is quoted by a test', () => {
    const quoted = new Map<string, string>();
    for (const file of testFiles(tests)) {
      // This very file quotes ids without testing them.
      if (file === import.meta.filename) continue;
      for (const text of textsOf(file)) {
        for (const [id] of text.matchAll(/\b[CD]\d{2}\b/g)) quoted.set(id, relative(tests, file));
      }
    }
    expect([...quoted.keys()].sort()).toEqual(ids);
  });
});
