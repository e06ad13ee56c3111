import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { nodeBundle } from '../../start/state-machine/node-bundle.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The command into `<dist>/bin`, with all that it needs but the SDK, which is the user's: who wants a lock does not
 * install what draws tables.
 *
 * @returns what is in it
 */
export async function buildCommandLine(dist: string): Promise<Metafile> {
  const { metafile } = await build({
    ...nodeBundle,
    entryPoints: [{ in: join(root, 'bin/leasehold.ts'), out: 'leasehold' }],
    outdir: join(dist, 'bin'),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: ['@aws-sdk/*', '@smithy/*'],
    minify: true,
    keepNames: true,
    plugins: [actsWhenLoaded],
    absWorkingDir: root,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** The package says that nothing in it acts when it is loaded. In the command one thing does. */
const actsWhenLoaded: Plugin = {
  name: 'acts-when-loaded',
  setup({ onResolve }) {
    onResolve({ filter: /\/quiet-sdk\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\.js$/, '.ts')),
      sideEffects: true,
    }));
  },
};
