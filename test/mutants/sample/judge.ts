import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../judges/workspace.js';
import { folderOf } from './folders.js';
import { Schedules } from './schedules.js';
import { type Mutant, withSwitches } from './switches.js';
import { Tests } from './tests.js';

/** How hard it is looked for. */
export interface Effort {
  /** Schedules of each suite that plays the code. */
  readonly schedules: number;
  /** Whether tests on engines judge, too. */
  readonly slower: boolean;
  /** Tests of one mutant take no longer than this together, as they did without any change. */
  readonly maxMs: number;
}

/** Who noticed a change: a rule of the simulator's checkers, or a test; or nobody. */
export type Noticed = { readonly by: string } | undefined;

/**
 * Judges mutants of a copy of the sources in which all of them stand, each behind a switch. Everything is loaded and run
 * once with all switches off; that tells which schedule and which test comes by which mutant. The others can't notice it.
 */
export class Judge {
  readonly #schedules: Schedules;
  readonly #tests: Tests;

  private constructor(schedules: Schedules, tests: Tests) {
    this.#schedules = schedules;
    this.#tests = tests;
  }

  static async prepare(workspace: Workspace, mutants: readonly Mutant[], effort: Effort): Promise<Judge> {
    await putSwitches(workspace, mutants);
    const folders = [...new Set(mutants.map(({ change }) => folderOf(change.file)!))];
    const suites = new Set(folders.flatMap((folder) => folder.suites));
    const schedules = await Schedules.play(workspace, [...suites], effort.schedules);
    const paths = [inMemory, ...(effort.slower ? folders.flatMap(({ slower }) => slower) : [])];
    const patterns = paths.map((path) => `test/${path}${path.endsWith('.ts') ? '' : '/**/*.test.ts'}`);
    return new Judge(schedules, await Tests.run(workspace, [...new Set(patterns)], effort.maxMs));
  }

  /** Tests that failed without any change: they judge nothing. */
  get failing(): readonly string[] {
    return this.#tests.failing;
  }

  /**
   * Judges all: by the tests in memory, which cost least; what they leave by the schedules; what those leave by the slower
   * tests; and what none of those could settle in a process of its own.
   *
   * @param tell each, as soon as its verdict is known
   */
  async judgeAll(
    mutants: readonly Mutant[],
    threads: number,
    tell: (mutant: Mutant, noticed: Noticed) => void,
  ): Promise<void> {
    const left = new Map(mutants.map((mutant) => [mutant.id, mutant]));
    const notice = (id: string, by: string) => {
      const mutant = left.get(id);
      if (left.delete(id)) tell(mutant!, { by });
    };
    const inTurn = async (name: string, only: RegExp) => {
      const lanes = dealOut([...left.keys()], threads);
      await Promise.all(lanes.map((ids, i) => this.#tests.judgeInTurn(`${name}-${i}`, ids, only, notice)));
    };
    const eachOf = async (some: readonly Mutant[], by: (mutant: Mutant) => Promise<string | undefined>) => {
      const waiting = [...some];
      const work = async () => {
        for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
          const who = await by(mutant);
          if (who !== undefined) notice(mutant.id, who);
        }
      };
      await Promise.all(Array.from({ length: threads }, work));
    };
    await inTurn('quick', quick);
    await eachOf([...left.values()], ({ id, change }) =>
      this.#schedules.judge(id, folderOf(change.file)!.suites),
    );
    await inTurn('slow', slow);
    const unsettled = [...left.values()].filter(({ id }) => this.#tests.isUnsettled(id));
    await eachOf(unsettled, ({ id }) => this.#tests.judge(id));
    for (const mutant of left.values()) tell(mutant, undefined);
  }
}

/** Folders of tests in memory; left out are those of texts, and of what runs none of the code that decides. */
const inMemory = 'unit/!(build|cdk|linear|mutants|start|terminal)';
/** Files of tests in memory, and the others. */
const [quick, slow] = [/^test\/unit\//, /^test\/(?!unit\/)/];

/** So many hands, about as much to each. */
function dealOut<T>(all: readonly T[], hands: number): readonly (readonly T[])[] {
  return Array.from({ length: hands }, (_, hand) => all.filter((_, i) => i % hands === hand));
}

async function putSwitches({ root }: Workspace, mutants: readonly Mutant[]): Promise<void> {
  for (const file of new Set(mutants.map(({ change }) => change.file))) {
    const path = join(root, file);
    const own = mutants.filter(({ change }) => change.file === file);
    await writeFile(path, withSwitches(await readFile(path, 'utf8'), own));
  }
}
