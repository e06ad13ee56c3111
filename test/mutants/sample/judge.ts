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
    const paths = folders.flatMap(({ unit, slower }) => [
      ...unit.map((name) => `unit/${name}`),
      ...(effort.slower ? slower : []),
    ]);
    const patterns = paths.map((path) => `test/${path}${path.endsWith('.ts') ? '' : '/**/*.test.ts'}`);
    return new Judge(schedules, await Tests.run(workspace, [...new Set(patterns)], effort.maxMs));
  }

  /** Tests that failed without any change: they judge nothing. */
  get failing(): readonly string[] {
    return this.#tests.failing;
  }

  async judge({ id, change }: Mutant): Promise<Noticed> {
    const rule = await this.#schedules.judge(id, folderOf(change.file)!.suites);
    const by = rule ?? (await this.#tests.judge(id));
    return by === undefined ? undefined : { by };
  }
}

async function putSwitches({ root }: Workspace, mutants: readonly Mutant[]): Promise<void> {
  for (const file of new Set(mutants.map(({ change }) => change.file))) {
    const path = join(root, file);
    const own = mutants.filter(({ change }) => change.file === file);
    await writeFile(path, withSwitches(await readFile(path, 'utf8'), own));
  }
}
