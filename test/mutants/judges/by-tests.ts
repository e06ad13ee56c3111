import { changesOf, type NoticingTest, type Removal } from '../removal.js';
import { firstLine, type Verdict } from '../verdict.js';
import { runTests } from './run-tests.js';
import { isTitled } from './title-pattern.js';
import { Workspace } from './workspace.js';

/** Takes one protection out, in a copy of the sources, and runs its tests, which must fail. */
export async function judgeByTests(
  repository: string,
  removal: Removal,
  witnesses: readonly NoticingTest[],
): Promise<readonly Verdict[]> {
  const sayAll = (outcome: Verdict['outcome'], detail: string) =>
    witnesses.map((witness) => ({ removal, witness, outcome, detail }));
  await using workspace = await Workspace.make(repository);
  try {
    await workspace.change(changesOf(removal));
    const verdicts: Verdict[] = [];
    for (const witness of witnesses) verdicts.push(await judgeByTest(workspace, removal, witness));
    return verdicts;
  } catch (error) {
    return sayAll('broken', firstLine(String(error)));
  }
}

async function judgeByTest(workspace: Workspace, removal: Removal, witness: NoticingTest): Promise<Verdict> {
  const results = await runTests(workspace.root, witness.file, [witness.title]);
  const [failed] = results.filter(({ status }) => status === 'failed');
  if (failed) {
    return { removal, witness, outcome: 'noticed', detail: firstLine(failed.failureMessages[0]) };
  }
  if (results.some(({ status }) => status === 'passed')) {
    return { removal, witness, outcome: 'unnoticed', detail: 'its test still passes' };
  }
  return { removal, witness, outcome: 'broken', detail: 'its test did not run: renamed, or not loadable' };
}

/**
 * Runs tests with nothing taken out: they must pass, or their failure means nothing.
 *
 * @returns the titles of those that do not
 */
export async function findFailingAnyway(
  repository: string,
  tests: readonly NoticingTest[],
): Promise<readonly string[]> {
  if (tests.length === 0) return [];
  await using workspace = await Workspace.make(repository);
  const failing: string[] = [];
  for (const file of new Set(tests.map((test) => test.file))) {
    const titles = [...new Set(tests.filter((test) => test.file === file).map(({ title }) => title))];
    const results = await runTests(workspace.root, file, titles);
    // All rows of a `test.each` must pass, and there must be some: a title that finds no test says nothing.
    const passes = (wanted: string) => {
      const own = results.filter(({ title }) => isTitled(title, wanted));
      return own.length > 0 && own.every(({ status }) => status === 'passed');
    };
    failing.push(...titles.filter((title) => !passes(title)));
  }
  return failing;
}
