/** `npm run build`: all of `dist`, what is published. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCommandLine } from './package/command-line.js';
import { buildDeclarations } from './package/declarations.js';
import { buildLibrary } from './package/library.js';
import { writeLicences } from './package/licences.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

// What an earlier build left would be published, too. The functions' folder is emptied by their own step.
for (const folder of ['esm', 'cjs', 'node', 'types', 'bin', 'lib']) {
  await rm(join(dist, folder), { recursive: true, force: true });
}
const [library, commandLine] = await Promise.all([
  buildLibrary(dist),
  buildCommandLine(dist),
  buildDeclarations(dist),
]);
await import('./bundle-lambdas.js');
await writeLicences(join(dist, 'third-party-licences.txt'), [library, commandLine]);
