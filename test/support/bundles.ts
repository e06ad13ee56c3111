import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleName } from '../../lib/cdk/functions/bundle-directory.js';
import { compiledDirectory } from './compiled.js';

/** Where the functions' bundles are: made once, before all tests, from the sources as they are. */
export const bundlesDirectory = fileURLToPath(new URL('../../dist/lambda', import.meta.url));

/** The command line, bundled as it is published, but with an SDK beside it that loads sooner. */
export const commandLine = join(compiledDirectory, 'dist', 'bin', 'leasehold.js');

/** The path of a bundled function. */
export function bundledHandler(name: BundleName): string {
  return `${bundlesDirectory}/${name}/index.mjs`;
}
