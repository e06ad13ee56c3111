import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCommandLine } from './command-line.js';
import { buildDeclarations } from './declarations.js';
import { buildLibrary } from './library.js';
import { writeLicences } from './licences.js';

/**
 * Library, types and command line into `dist`: all that is published but the functions' bundles.
 *
 * @param dist absolute
 */
export async function buildPackage(dist: string): Promise<void> {
  // What an earlier build left would be published, too.
  for (const folder of ['esm', 'cjs', 'node', 'types', 'bin', 'lib']) {
    await rm(join(dist, folder), { recursive: true, force: true });
  }
  const [library, commandLine] = await Promise.all([
    buildLibrary(dist),
    buildCommandLine(dist),
    buildDeclarations(dist),
  ]);
  await writeLicences(join(dist, 'third-party-licences.txt'), [library, commandLine]);
}
