import { closeSync, openSync, writeSync } from 'node:fs';
import { machineMs } from '../machine-clock.js';
import type { JournalRecord } from './records.js';

// biome-ignore lint/suspicious/noExplicitAny: distributes over the union
type Untimed<Record> = Record extends any ? Omit<Record, 'atMs'> & { readonly atMs?: number } : never;

/** What one process has seen, a JSON line at a time. A line is with the kernel before `write` returns, so SIGKILL takes none back. */
export class Journal implements Disposable {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** `atMs` is now, unless the record brings it along. */
  write(record: Untimed<JournalRecord>): void {
    writeSync(this.#file, `${JSON.stringify({ atMs: machineMs(), ...record })}\n`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
