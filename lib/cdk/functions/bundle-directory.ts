import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownAddress, resolveInstalled } from '../../installed/resolve-installed.js';

/** The functions of a scan. */
export type ScanFunctionName = 'plan' | 'work' | 'verify';

/** A function that comes bundled with the package: a file of `lambda/`. */
export type BundleName = ScanFunctionName | 'lock-service' | 'sweep';

/**
 * Where the bundled handler of a function is, `index.mjs`.
 *
 * @throws Error when the bundles are not there, with what to do
 */
export function bundleDirectory(name: BundleName): string {
  return join(bundlesDirectory(), name);
}

/**
 * Where the bundled handlers of all functions are.
 *
 * @throws Error when the bundles are not there, with what to do
 */
export function bundlesDirectory(): string {
  const own = ownPackage();
  // An app that is bundled has this code in its own file; the functions' code is still where the package is installed.
  const root = own ?? packageAt(resolveInstalled('leasehold/package.json'));
  const directory = root && join(root, 'dist/lambda');
  if (directory && existsSync(join(directory, 'lock-service/index.mjs'))) return directory;
  throw new Error(
    own
      ? `The bundles of Leasehold's functions are not in "${directory}"; in a clone, run: npm run bundle`
      : "The bundles of Leasehold's functions are not found from this bundled app. Leave the package out of the bundle (esbuild: --external:leasehold) and install it where the app runs: npm install leasehold",
  );
}

/** This package's root, when this file is still in it. */
function ownPackage(): string | undefined {
  if (!ownAddress?.startsWith('file:')) return undefined;
  for (let folder = dirname(fileURLToPath(ownAddress)); ; folder = dirname(folder)) {
    const found = packageAt(join(folder, 'package.json'));
    if (found) return found;
    if (folder === dirname(folder)) return undefined;
  }
}

function packageAt(manifest: string | undefined): string | undefined {
  if (!manifest || !existsSync(manifest)) return undefined;
  const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string };
  return name === 'leasehold' ? dirname(manifest) : undefined;
}
