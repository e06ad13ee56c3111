import { fileURLToPath } from 'node:url';
import type { BundleName } from '../../lib/cdk/functions/bundle-directory.js';

/** Where the functions' bundles are: made once, before all tests, from the sources as they are. */
export const bundlesDirectory = fileURLToPath(new URL('../../dist/lambda', import.meta.url));

/** The bundled command line. */
export const commandLine = fileURLToPath(new URL('../../dist/bin/leasehold.js', import.meta.url));

/** The path of a bundled function. */
export function bundledHandler(name: BundleName): string {
  return `${bundlesDirectory}/${name}/index.mjs`;
}
