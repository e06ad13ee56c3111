import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTitled, titlePattern } from './title-pattern.js';

/** One test as vitest's JSON reporter tells it. */
export interface TestResult {
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' | 'disabled';
  readonly failureMessages: readonly string[];
}

/** Bounds a test that would hang without its protection. */
const testTimeoutMs = 20_000;

/**
 * Runs the named tests of one file in a copy of the sources.
 *
 * @param names titles as the sources have them, those of `test.each` with their placeholders; others are passed over
 * @returns what became of them; of a file that could not be loaded, nothing
 */
export async function runTests(
  root: string,
  file: string,
  names: readonly string[],
): Promise<readonly TestResult[]> {
  const report = join(root, 'report.json');
  const pattern = names.map((name) => `${titlePattern(name)}$`).join('|');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const options = ['--reporter=json', `--outputFile.json=${report}`, `--testTimeout=${testTimeoutMs}`];
  const child = spawn(process.execPath, [vitest, 'run', file, '-t', pattern, ...options], {
    cwd: root,
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const { testResults } = JSON.parse(await readFile(report, 'utf8'));
  const all: TestResult[] = testResults.flatMap(
    ({ assertionResults }: { assertionResults: TestResult[] }) => assertionResults,
  );
  return all.filter(
    ({ title, status }) => status !== 'skipped' && names.some((name) => isTitled(title, name)),
  );
}
