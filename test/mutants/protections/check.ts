import type { Protection } from './protection.js';
import { runTests } from './run-tests.js';
import { Workspace } from './workspace.js';

/** How the removal of a protection went. */
export interface Verdict {
  readonly protection: Protection;
  /** `noticed` is right; `unnoticed` and `broken` are not. */
  readonly outcome: 'noticed' | 'unnoticed' | 'broken';
  /** The first line of the test's failure, or what went wrong. */
  readonly detail: string;
}

/** Takes one protection out and runs its test, which must fail. */
export async function check(repository: string, protection: Protection): Promise<Verdict> {
  const { id, test } = protection;
  await using workspace = await Workspace.make(repository, id);
  try {
    await workspace.takeOut(protection);
    const results = await runTests(workspace.root, test.file, [test.name]);
    const [failed] = results.filter(({ status }) => status === 'failed');
    if (failed) return { protection, outcome: 'noticed', detail: firstLine(failed.failureMessages[0]) };
    if (results.length > 0) return { protection, outcome: 'unnoticed', detail: 'its test still passes' };
    return { protection, outcome: 'broken', detail: 'its test did not run: renamed, or not loadable' };
  } catch (error) {
    return { protection, outcome: 'broken', detail: firstLine(String(error)) };
  }
}

/**
 * Runs the tests of some protections with nothing taken out: they must pass, or their failure means nothing.
 *
 * @returns the names of those that do not
 */
export async function failingAnyway(
  repository: string,
  protections: readonly Protection[],
): Promise<readonly string[]> {
  await using workspace = await Workspace.make(repository, 'as-it-is');
  const failing: string[] = [];
  for (const file of new Set(protections.map(({ test }) => test.file))) {
    const names = protections.filter(({ test }) => test.file === file).map(({ test }) => test.name);
    const results = await runTests(workspace.root, file, names);
    const passed = new Set(results.filter(({ status }) => status === 'passed').map(({ title }) => title));
    failing.push(...[...new Set(names)].filter((name) => !passed.has(name)));
  }
  return failing;
}

function firstLine(text = ''): string {
  // Colours of the terminal have no place in a table.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what an escape sequence starts with
  const line = text.replace(/\u001b\[[0-9;]*m/g, '').split('\n')[0] ?? '';
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}
