import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLambdas } from '../../bin/build/lambda-bundles.js';
import { buildCommandLine } from '../../bin/build/package/command-line.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');

/** What the bundles are made of. */
const sources = ['lib', 'lambda', 'bin', 'package-lock.json'];

/**
 * Before all tests that may need the functions' bundles or the command line's: makes them, unless they are newer than
 * all that they are made of. A bundled command starts in a third of the time that it takes from its sources.
 */
export async function setup(): Promise<void> {
  const made = [join(dist, 'lambda', 'verify', 'index.mjs'), join(dist, 'bin', 'leasehold.js')];
  const newest = Math.max(...sources.map((path) => newestIn(join(root, path))));
  if (made.every((path) => existsSync(path) && statSync(path).mtimeMs > newest)) return;
  await bundleLambdas(join(dist, 'lambda'));
  rmSync(join(dist, 'bin'), { recursive: true, force: true });
  await buildCommandLine(dist);
}

/** When a file, or anything in a folder, was changed last. */
function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, newestIn(join(path, name))),
    own.mtimeMs,
  );
}
