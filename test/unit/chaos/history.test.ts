import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Journal } from '../../chaos/history/journal.js';
import { readHistory, recordsOf } from '../../chaos/history/read-history.js';

it('reads journals back in the order of time, each record with its line', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chaos-history-'));
  try {
    {
      using first = new Journal(join(directory, 'worker-0-0.jsonl'));
      using second = new Journal(join(directory, 'worker-1-0.jsonl'));
      first.write({ kind: 'born', pid: 1, atMs: 5 });
      second.write({ kind: 'born', pid: 2, atMs: 3 });
      first.write({ kind: 'born', pid: 3, atMs: 4 });
    }
    expect(await readHistory(directory)).toEqual([
      { kind: 'born', pid: 2, atMs: 3, source: 'worker-1-0.jsonl:1' },
      { kind: 'born', pid: 3, atMs: 4, source: 'worker-0-0.jsonl:2' },
      { kind: 'born', pid: 1, atMs: 5, source: 'worker-0-0.jsonl:1' },
    ]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

it('passes over a last line that its writer was killed in, and over no other', () => {
  const line = JSON.stringify({ kind: 'born', pid: 1, atMs: 1 });

  expect(recordsOf('a.jsonl', `${line}\n{"kind":"gra`)).toHaveLength(1);
  expect(() => recordsOf('a.jsonl', `{"kind":"gra\n${line}\n`)).toThrow(SyntaxError);
});
