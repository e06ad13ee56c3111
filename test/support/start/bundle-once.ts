import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleLambdas } from '../../../bin/build/lambda-bundles.js';

const root = join(import.meta.dirname, '..', '..', '..');
const target = join(root, 'dist', 'lambda');

/** As `npm run bundle`, but each bundle is replaced at once: other test files may be starting workers from it. */
export async function bundleOnce(): Promise<void> {
  await mkdir(join(root, '.leasehold'), { recursive: true });
  const fresh = await mkdtemp(join(root, '.leasehold', 'bundles-'));
  const bundles = await bundleLambdas(fresh);
  // What they share first: whoever starts a function now finds all that it imports.
  await mkdir(join(target, 'chunks'), { recursive: true });
  for (const file of await readdir(join(fresh, 'chunks'))) {
    await rename(join(fresh, 'chunks', file), join(target, 'chunks', file));
  }
  for (const { name, path } of bundles) {
    await mkdir(join(target, name), { recursive: true });
    await rename(path, join(target, name, 'index.mjs'));
  }
  await rm(fresh, { recursive: true, force: true });
}
