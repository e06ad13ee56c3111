import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Before all tests, in a clone in which nothing was built yet: constructs deploy the functions' bundles. */
export async function setup(): Promise<void> {
  if (existsSync(`${root}dist/lambda`)) return;
  await promisify(execFile)('npm', ['run', '--silent', 'bundle'], { cwd: root });
}
