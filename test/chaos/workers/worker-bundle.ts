import { join } from 'node:path';
import { build } from 'esbuild';
import { nodeBundle } from '../../../bin/start/state-machine/node-bundle.js';

/** Makes one plain script of a worker, so that a dozen processes start without a loader, again and again. */
export async function bundleWorker(directory: string): Promise<string> {
  const outfile = join(directory, 'worker.mjs');
  await build({
    ...nodeBundle,
    // Without its ending: this file may run compiled.
    entryPoints: [join(import.meta.dirname, '..', 'worker', 'main')],
    outfile,
    minify: true,
    logLevel: 'error',
  });
  return outfile;
}
