import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../judges/workspace.js';
import type { ReachedNote } from './note-reached.js';

/** What vitest is told. */
export interface TestPlan {
  /** Files, or patterns for them, in the order in which they are run. */
  readonly files: readonly string[];
  /** The source of a pattern; without it all tests are run, and note what they reach. */
  readonly titles?: string;
  readonly report: string;
}

interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** A run may take so much longer than its tests did without any change, and so long on top, in milliseconds. */
const slack = { times: 4, ms: 60_000 };

/** The tests over sources with switches, and which of them comes by which mutant. */
export class Tests {
  readonly #root: string;
  readonly #notes: readonly ReachedNote[];
  readonly #maxMs: number;

  private constructor(root: string, notes: readonly ReachedNote[], maxMs: number) {
    this.#root = root;
    this.#notes = notes;
    this.#maxMs = maxMs;
  }

  /**
   * Runs all tests once with every switch off.
   *
   * @param patterns of test files
   * @param maxMs tests of one mutant take no longer than this together, as they did without any change
   */
  static async run({ root }: Workspace, patterns: readonly string[], maxMs: number): Promise<Tests> {
    const path = join(root, 'reached.jsonl');
    await writeFile(path, '');
    await runVitest(root, 'all', { files: patterns }, { LEASEHOLD_REACHED: path }, 1_800_000);
    const notes = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
    return new Tests(root, toNotes(notes.map((line) => JSON.parse(line))), maxMs);
  }

  /** Tests that failed without any change: they judge nothing. */
  get failing(): readonly string[] {
    return this.#notes.filter(({ passed }) => !passed).map(({ file, title }) => `${file}: ${title}`);
  }

  /**
   * Runs the tests that come by a mutant, the quickest file first, until one fails.
   *
   * @returns the title of the test that failed, or `undefined`
   */
  async judge(id: string): Promise<string | undefined> {
    const files = this.#filesOf(id);
    if (files.size === 0) return undefined;
    const notes = [...files.values()].flat();
    const titles = `^(${[...new Set(notes.map(({ title }) => escaped(title!)))].join('|')})$`;
    const plan = { files: [...files.keys()], titles };
    const limitMs = slack.ms + slack.times * sum(notes.map(({ ms }) => ms));
    return runVitest(this.#root, id, plan, { LEASEHOLD_MUTANT: id }, limitMs);
  }

  #filesOf(id: string): ReadonlyMap<string, readonly ReachedNote[]> {
    const own = this.#notes.filter(({ passed, reached }) => passed && reached.includes(id));
    const titles = new Set(own.map(({ title }) => title));
    // One engine is enough: dynalite speaks for itself only where no quicker one does.
    const once = own.filter(({ title }) => {
      const quicker = title!.replace(/\bdynalite\b/g, 'dynoxide');
      return quicker === title || !titles.has(quicker);
    });
    const files = [...byFile(once)];
    const time = (notes: readonly ReachedNote[]) => sum(notes.map(({ ms }) => ms));
    files.sort(([, a], [, b]) => time(a) - time(b));
    let leftMs = this.#maxMs;
    // At least one file, however long it takes.
    return new Map(
      files.filter(([, notes], i) => {
        leftMs -= time(notes);
        return i === 0 || leftMs > 0;
      }),
    );
  }
}

/** What was reached while a file was loaded, or between its tests, belongs to each of its tests. */
function toNotes(lines: readonly ReachedNote[]): readonly ReachedNote[] {
  const always = byFile(lines.filter(({ title }) => title === undefined));
  // The last attempt counts.
  const last = new Map<string, ReachedNote>();
  for (const line of lines.filter(({ title }) => title !== undefined)) {
    const reached = [...line.reached, ...(always.get(line.file) ?? []).flatMap((note) => note.reached)];
    last.set(`${line.file} ${line.title}`, { ...line, reached });
  }
  return [...last.values()];
}

function byFile(notes: readonly ReachedNote[]): ReadonlyMap<string, readonly ReachedNote[]> {
  const all = new Map<string, ReachedNote[]>();
  for (const note of notes) all.set(note.file, [...(all.get(note.file) ?? []), note]);
  return all;
}

/** Runs vitest in a process of its own. Answers the first test that failed. */
async function runVitest(
  root: string,
  name: string,
  plan: Omit<TestPlan, 'report'>,
  env: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<string | undefined> {
  const planFile = join(root, `plan-${name}.json`);
  const report = join(root, `report-${name}.json`);
  await writeFile(planFile, JSON.stringify({ ...plan, report } satisfies TestPlan));
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--config=test/mutants/sample/vitest.config.ts'], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, ...env, LEASEHOLD_TEST_PLAN: planFile },
    detached: true,
  });
  // With all that it has started.
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), limitMs);
  const [exitCode] = await once(child, 'exit');
  clearTimeout(timer);
  const text = await readFile(report, 'utf8').catch(() => undefined);
  await Promise.all([rm(planFile), rm(report, { force: true })]);
  if (exitCode === 0) return undefined;
  if (text === undefined) return 'the tests do not end';
  const { testResults }: Report = JSON.parse(text);
  const failed = testResults.flatMap(({ assertionResults }) => assertionResults).find(hasFailed);
  return failed?.fullName ?? testResults.find(hasFailed)?.message ?? 'the tests end with an error';
}

function hasFailed({ status }: { readonly status: string }): boolean {
  return status === 'failed';
}

function escaped(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
