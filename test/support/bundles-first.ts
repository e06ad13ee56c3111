import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLambdas } from '../../bin/build/lambda-bundles.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = join(root, 'dist', 'lambda');

/** What the bundles are made of. */
const sources = ['lib', 'lambda', 'bin/build', 'package-lock.json'];

/** Before all tests that may need the functions' bundles: makes them, unless they are newer than all they are made of. */
export async function setup(): Promise<void> {
  const made = join(target, 'verify', 'index.mjs');
  const isFresh =
    existsSync(made) && sources.every((path) => newestIn(join(root, path)) < statSync(made).mtimeMs);
  if (!isFresh) await bundleLambdas(target);
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
