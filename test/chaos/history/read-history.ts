import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalRecord, Logged } from './records.js';

/** All records of a kind. */
export type History = readonly Logged[];

/**
 * Reads all journals of a directory.
 *
 * @returns the records in the order of their times
 * @throws Error when a line is no JSON, other than a last one that its writer was killed in
 */
export async function readHistory(directory: string): Promise<History> {
  const records: Logged[] = [];
  for (const file of (await readdir(directory)).sort()) {
    if (file.endsWith('.jsonl'))
      records.push(...recordsOf(file, await readFile(join(directory, file), 'utf8')));
  }
  return records.sort((a, b) => a.atMs - b.atMs);
}

/** The records of one journal. */
export function recordsOf(file: string, text: string): Logged[] {
  const lines = text.split('\n');
  // What follows the last line's end was not written in full.
  lines.pop();
  return lines.map((line, index) => ({
    ...(JSON.parse(line) as JournalRecord),
    source: `${file}:${index + 1}`,
  }));
}

/** The records of one kind. */
export function ofKind<Kind extends JournalRecord['kind']>(
  history: History,
  kind: Kind,
): Logged<Extract<JournalRecord, { kind: Kind }>>[] {
  return history.filter(
    (record): record is Logged<Extract<JournalRecord, { kind: Kind }>> => record.kind === kind,
  );
}
