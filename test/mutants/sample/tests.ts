import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../judges/workspace.js';
import type { TurnNote } from './in-turn.js';
import type { ReachedNote } from './note-reached.js';
import type { TestPlan, Turns } from './test-plan.js';

interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** A run may take so much longer than its tests did without any change, and so long on top, in milliseconds. */
const slack = { times: 4, ms: 60_000 };

/** A test in turn of which nothing is heard for so long blocks its process: it would have ended itself sooner. */
const silence = { times: 15, ms: 15_000 };

type TurnPlan = Pick<TestPlan, 'files'> & { readonly turns: Turns };

/** The tests over sources with switches, and which of them comes by which mutant. */
export class Tests {
  readonly #root: string;
  readonly #notes: readonly Reached[];
  readonly #maxMs: number;
  /** Mutants under which a test hung, or was believed no more. */
  readonly #unsettled = new Set<string>();

  private constructor(root: string, notes: readonly Reached[], maxMs: number) {
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
    await runVitest(
      root,
      'all',
      { files: patterns },
      { LEASEHOLD_REACHED: path },
      AbortSignal.timeout(1_800_000),
    );
    const notes = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
    return new Tests(root, toReached(notes.map((line) => JSON.parse(line))), maxMs);
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
    const titles = `^(${[...new Set(notes.map(({ title }) => escaped(title)))].join('|')})$`;
    const plan = { files: [...files.keys()], titles };
    const limitMs = slack.ms + Math.ceil(slack.times * sum(notes.map(({ ms }) => ms)));
    return runVitest(this.#root, id, plan, { LEASEHOLD_MUTANT: id }, AbortSignal.timeout(limitMs));
  }

  /**
   * Runs the tests that come by some mutants, each once for each of them, all in one process: quicker by far than a
   * process for each, and enough for most. What it can't tell is left to {@link judge}: what is done while a file is loaded, and
   * what a test has said that failed without any mutant, too.
   *
   * @param only files of tests that the pattern meets
   * @param tell a mutant that was noticed, and the title of the test
   */
  async judgeInTurn(
    name: string,
    ids: readonly string[],
    only: RegExp,
    tell: (id: string, title: string) => void,
  ): Promise<void> {
    const journal = join(this.#root, `turns-${name}.jsonl`);
    const told = new Set<string>();
    for (;;) {
      const notes = await readTurns(journal);
      for (const [id, title] of [...noticedIn(notes), ...hungIn(notes)]) {
        if (!told.has(id)) tell(id, title);
        told.add(id);
      }
      const turns = this.#turnsOf(
        ids.filter((id) => !told.has(id)),
        only,
        notes,
      );
      const files = Object.keys(turns);
      if (files.length === 0) break;
      const before = notes.length;
      await this.#runTurns(name, { files, turns }, journal);
      // Where vitest itself can't begin, it never will.
      if ((await readTurns(journal)).length === before) break;
    }
    const notes = await readTurns(journal);
    for (const { id } of [...openIn(notes), ...notes.filter(({ state }) => state === 'spoilt')])
      this.#unsettled.add(id);
    await rm(journal, { force: true });
  }

  /**
   * Whether a process of its own could tell more of a mutant that no test in turn has noticed: it has something to do while
   * a file is loaded, or it was not settled.
   */
  isUnsettled(id: string): boolean {
    return this.#unsettled.has(id) || this.#notes.some((note) => note.loaded.includes(id));
  }

  #turnsOf(ids: readonly string[], only: RegExp, done: readonly TurnNote[]): Turns {
    const past = new Set(done.map(({ file, title, id }) => toKey(file, title, id)));
    const doubted = new Set(
      done.filter(({ state }) => state === 'spoilt').map(({ file, title }) => toKey(file, title)),
    );
    const turns: Record<string, Record<string, { ids: string[]; ms: number }>> = {};
    for (const id of ids) {
      for (const [file, notes] of this.#filesOf(id)) {
        if (!only.test(file)) continue;
        for (const { title, ms, within } of notes) {
          if (!within.includes(id) || past.has(toKey(file, title, id)) || doubted.has(toKey(file, title)))
            continue;
          turns[file] ??= {};
          turns[file][title] ??= { ids: [], ms };
          turns[file][title]!.ids.push(id);
        }
      }
    }
    const time = (file: string) => sum(Object.values(turns[file]!).map(({ ms }) => ms));
    return Object.fromEntries(Object.entries(turns).sort(([a], [b]) => time(a) - time(b)));
  }

  /** Ends with the process, or when the test that is under way has taken too long: it blocks the process. */
  async #runTurns(name: string, plan: TurnPlan, journal: string): Promise<void> {
    const hang = new AbortController();
    let last = Date.now();
    const watch = setInterval(async () => {
      const heard = await stat(journal).catch(() => undefined);
      if (heard) last = Math.max(last, heard.mtimeMs);
      const [under] = openIn(await readTurns(journal)).slice(-1);
      const ownMs = under ? (plan.turns[under.file]?.[under.title]?.ms ?? 0) : slack.ms;
      if (Date.now() - last > silence.ms + silence.times * ownMs) hang.abort();
    }, 1_000);
    await runVitest(this.#root, name, plan, { LEASEHOLD_TURNS: journal }, hang.signal);
    clearInterval(watch);
  }

  #filesOf(id: string): ReadonlyMap<string, readonly Reached[]> {
    const own = this.#notes.filter((note) => note.passed && reaches(note, id));
    const titles = new Set(own.map(({ title }) => title));
    // One engine is enough: dynalite speaks for itself only where no quicker one does.
    const once = own.filter(({ title }) => {
      const quicker = title.replace(/\bdynalite\b/g, 'dynoxide');
      return quicker === title || !titles.has(quicker);
    });
    const files = [...byFile(once)];
    const time = (notes: readonly Reached[]) => sum(notes.map(({ ms }) => ms));
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

/** What a test comes by. */
interface Reached {
  readonly file: string;
  readonly title: string;
  /** From its first hook to its last. */
  readonly within: readonly string[];
  /** While its file was loaded, or between the file's tests. */
  readonly loaded: readonly string[];
  readonly ms: number;
  readonly passed: boolean;
}

function toReached(lines: readonly ReachedNote[]): readonly Reached[] {
  const loaded = byFile(lines.filter(({ title }) => title === undefined));
  // The last attempt counts.
  const last = new Map<string, Reached>();
  for (const { file, title, reached, ms, passed } of lines) {
    if (title === undefined) continue;
    const always = (loaded.get(file) ?? []).flatMap((note) => note.reached);
    last.set(toKey(file, title), { file, title, within: reached, loaded: always, ms, passed });
  }
  return [...last.values()];
}

function reaches({ within, loaded }: Reached, id: string): boolean {
  return within.includes(id) || loaded.includes(id);
}

function byFile<Note extends { readonly file: string }>(
  notes: readonly Note[],
): ReadonlyMap<string, readonly Note[]> {
  const all = new Map<string, Note[]>();
  for (const note of notes) all.set(note.file, [...(all.get(note.file) ?? []), note]);
  return all;
}

function toKey(...parts: readonly string[]): string {
  return parts.join('\n');
}

async function readTurns(journal: string): Promise<readonly TurnNote[]> {
  const text = await readFile(journal, 'utf8').catch(() => '');
  // A line that was being written when its process ended is none.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** Which were noticed, and by which test. Who said so and then failed without any mutant has said nothing. */
function noticedIn(notes: readonly TurnNote[]): ReadonlyMap<string, string> {
  const spoilt = new Set(
    notes.filter(({ state }) => state === 'spoilt').map(({ title, id }) => toKey(title, id)),
  );
  const certain = notes.filter(
    ({ state, title, id }) => state === 'noticed' && !spoilt.has(toKey(title, id)),
  );
  return new Map(certain.map(({ id, title }) => [id, title]));
}

/** Turns that began and did not end, of which the last one may be under way. */
function openIn(notes: readonly TurnNote[]): readonly TurnNote[] {
  const keyOf = ({ file, title, id }: TurnNote) => toKey(file, title, id);
  const ended = new Set(notes.filter(({ state }) => state === 'passed' || state === 'noticed').map(keyOf));
  return notes.filter((note) => note.state === 'begins' && !ended.has(keyOf(note)));
}

/** Mutants under which two turns have hung: one may have been the machine. */
function hungIn(notes: readonly TurnNote[]): ReadonlyMap<string, string> {
  const open = openIn(notes);
  const twice = open.filter(({ id }, i) => open.findIndex((note) => note.id === id) < i);
  return new Map(twice.map(({ id, title }) => [id, `${title} (does not end)`]));
}

/** Runs vitest in a process of its own. Answers the first test that failed. */
async function runVitest(
  root: string,
  name: string,
  plan: Omit<TestPlan, 'report'>,
  env: Readonly<Record<string, string>>,
  until: AbortSignal,
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
  const kill = () => process.kill(-child.pid!, 'SIGKILL');
  until.addEventListener('abort', kill);
  const [exitCode] = await once(child, 'exit');
  until.removeEventListener('abort', kill);
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
