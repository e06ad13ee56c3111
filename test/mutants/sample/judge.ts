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

/** A test run that takes longer than this goes round in circles, in milliseconds. */
const unitMs = 120_000;
const slowerMs = 600_000;

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
    if (await runTests(workspace.root, unit, unitMs)) return { by: 'tests in memory' };
    for (const suite of suites) {
      if (await playsWrong(workspace, source, change, suite, effort.schedules))
        return { by: `schedules: ${suite}` };
    }
    if (effort.slower && (await runTests(workspace.root, slower, slowerMs))) return { by: 'slower tests' };
    return undefined;
  } finally {
    await writeFile(path, source);
  }
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
async function runTests(root: string, paths: readonly string[], timeoutMs: number): Promise<boolean> {
  if (paths.length === 0) return false;
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const options = ['--bail=1', '--reporter=dot', '--passWithNoTests', '--maxWorkers=1'];
  const env = { ...process.env, LEASEHOLD_PROPERTY_CASES: '100', LEASEHOLD_PROPERTY_SEED: '1' };
  const child = spawn(process.execPath, [vitest, 'run', ...paths, ...options], {
    cwd: root,
    stdio: 'ignore',
    env,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [exitCode] = await once(child, 'exit');
  clearTimeout(timer);
  return exitCode !== 0;
}
