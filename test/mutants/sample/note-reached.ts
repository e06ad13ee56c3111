import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, type TestContext } from 'vitest';
import type { Switches } from './switches.js';
import { titleOf } from './test-plan.js';

/** What one file's tests came by, one line each in the file that the environment names. */
export interface ReachedNote {
  /** From the root. */
  readonly file: string;
  /** As a pattern for titles meets it; without one: while the file was loaded, or between its tests. */
  readonly title?: string;
  readonly reached: readonly string[];
  readonly ms: number;
  readonly passed: boolean;
}

const notes = process.env.LEASEHOLD_REACHED;

if (notes) {
  let file = '';
  let startedMs = 0;
  const note = (line: Omit<ReachedNote, 'file' | 'reached'>) => {
    // Sources with switches may be loaded later than this file.
    const { mutants } = globalThis as { mutants?: Switches };
    // What one test loads is there for all behind it, too: any of them may be the one that loads it.
    const reached = [...(mutants?.reached ?? []), ...(line.title ? [] : (mutants?.loaded ?? []))];
    appendFileSync(notes, `${JSON.stringify({ ...line, file, reached })}\n`);
    mutants?.reached.clear();
  };
  beforeEach(({ task }: TestContext) => {
    file = task.file.name;
    note({ ms: 0, passed: true });
    startedMs = performance.now();
  });
  afterEach(({ task }: TestContext) => {
    const passed = task.result?.state !== 'fail';
    note({ title: titleOf(task), ms: performance.now() - startedMs, passed });
  });
  afterAll(() => note({ ms: 0, passed: true }));
}
