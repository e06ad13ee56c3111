import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleSimulator } from '../../simulation/run/bundle.js';
import { runSeeds } from '../../simulation/run/run-seeds.js';
import type { Workspace } from '../judges/workspace.js';
import { folderOf } from './folders.js';
import { type SmallChange, withChange } from './small-change.js';

/** How hard it is looked for. */
export interface Effort {
  /** Schedules of each suite that plays the code. */
  readonly schedules: number;
  /** Whether survivors are tried on engines and with processes, too. */
  readonly slower: boolean;
}

/** Who noticed a change: a suite of the simulator, tests in memory, slower tests, the compiler; or nobody. */
export type Noticed = { readonly by: string } | undefined;

/** A kind of tests: its settings, and how long a run may take, in milliseconds, before it counts as going round in circles. */
interface Kind {
  readonly config: string;
  readonly limitMs: number;
}

const inMemory: Kind = { config: 'memory', limitMs: 120_000 };
const slow: Kind = { config: 'slower', limitMs: 300_000 };

/** Of all kinds together, as in the repository: none shares its modules with the next run, all do within one. */
const settings = {
  memory: "{ pool: 'threads', isolate: false }",
  slower: "{ pool: 'forks', isolate: false, globalSetup: 'test/support/built-first.ts' }",
} as const;

/** Puts the settings of all kinds of tests into a copy of the sources. */
export async function settle({ root }: Workspace): Promise<void> {
  for (const [name, options] of Object.entries(settings)) {
    const text = `export default { test: { include: ['test/**/*.test.ts'], hookTimeout: 60_000, testTimeout: 60_000, ...${options} } };\n`;
    await writeFile(join(root, `vitest.${name}.config.mjs`), text);
  }
}

/**
 * Makes a change in a copy of the sources and asks, the quickest first: does it compile into the simulator, does a schedule
 * break a rule, does a test in memory fail, does a slower one.
 */
export async function judge(workspace: Workspace, change: SmallChange, effort: Effort): Promise<Noticed> {
  const path = join(workspace.root, change.file);
  const source = await readFile(path, 'utf8');
  const { suites, unit, slower } = folderOf(change.file)!;
  await writeFile(path, withChange(source, change));
  try {
    for (const suite of suites) {
      if (await playsWrong(workspace, source, change, suite, effort.schedules))
        return { by: `schedules: ${suite}` };
    }
    if (await runTests(workspace.root, unit, inMemory)) return { by: 'tests in memory' };
    if (effort.slower && (await runTests(workspace.root, slower, slow))) return { by: 'slower tests' };
    return undefined;
  } finally {
    await writeFile(path, source);
  }
}

/**
 * Whether anything fails in a folder without any change: its tests then prove nothing.
 *
 * @throws Error that names what failed
 */
export async function checkUnchanged(workspace: Workspace, file: string, effort: Effort): Promise<void> {
  const noticed = await judge(workspace, { file, operator: 'text', start: 0, end: 0, replace: '' }, effort);
  if (noticed) throw new Error(`${noticed.by} of ${folderOf(file)!.folder} fail without any change`);
}

async function playsWrong(
  workspace: Workspace,
  source: string,
  change: SmallChange,
  suite: Parameters<typeof runSeeds>[1]['suite'],
  schedules: number,
): Promise<boolean> {
  const whole = { file: change.file, find: source, replace: withChange(source, change) };
  let bundle: string;
  try {
    bundle = await bundleSimulator(`sample-${process.pid}-${workspace.root.split('-').at(-1)}`, [whole]);
  } catch (error) {
    // The simulator does not load this file: it can't say anything.
    if (String(error).includes('not part of the bundle')) return false;
    return true;
  }
  try {
    const order = { suite, from: 1, until: 1 + schedules, stopsAtFirst: true };
    return (await runSeeds(bundle, order, 1)).violations.length > 0;
  } catch {
    return true;
  } finally {
    await rm(bundle, { force: true });
  }
}

/** Whether a test fails, or does not end. */
async function runTests(root: string, paths: readonly string[], { config, limitMs }: Kind): Promise<boolean> {
  if (paths.length === 0) return false;
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const settingsFile = `--config=vitest.${config}.config.mjs`;
  const options = [
    settingsFile,
    '--bail=1',
    '--reporter=dot',
    '--passWithNoTests',
    '--maxWorkers=1',
    '--exclude=**/*.long.test.ts',
  ];
  const env = {
    ...process.env,
    LEASEHOLD_PROPERTY_CASES: '100',
    LEASEHOLD_PROPERTY_SEED: '1',
    CDK_VALIDATION: 'false',
  };
  const child = spawn(process.execPath, [vitest, 'run', ...paths, ...options], {
    cwd: root,
    stdio: 'ignore',
    env,
    detached: true,
  });
  // With all that it has started.
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), limitMs);
  const [exitCode] = await once(child, 'exit');
  clearTimeout(timer);
  return exitCode !== 0;
}
