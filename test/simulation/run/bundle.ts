import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { type SourceChange, toChanged } from '../../support/source-change.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');

/**
 * Bundles the simulator together with the production code, as it is or with some changes.
 *
 * @returns the bundle's path; it lies in the repository, so that it finds the packages
 * @throws Error when a text that is to be changed is not there, or is there twice
 */
export async function bundleSimulator(
  name: string,
  changes: readonly SourceChange[] = [],
  entry: 'worker-main.ts' | 'replay.ts' | 'exhaustive-main.ts' = 'worker-main.ts',
): Promise<string> {
  const outfile = join(root, '.leasehold/sim', `${name.replace(/\W+/g, '-')}.mjs`);
  await mkdir(dirname(outfile), { recursive: true });
  const open = new Set(changes);
  await build({
    entryPoints: [join(root, 'test/simulation/run', entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    plugins: [changing(open, changes)],
  });
  const [unused] = open;
  if (unused) throw new Error(`${unused.file} is not part of the bundle`);
  return outfile;
}

function changing(open: Set<SourceChange>, changes: readonly SourceChange[]): Plugin {
  return {
    name: 'source-changes',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(root, path);
        const own = changes.filter((change) => change.file === file);
        if (own.length === 0) return undefined;
        const contents = toChanged(await readFile(path, 'utf8'), own);
        for (const change of own) open.delete(change);
        return { contents, loader: 'ts' };
      });
    },
  };
}
