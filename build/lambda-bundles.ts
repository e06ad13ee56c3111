import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { nodeBundle } from '../lib/local-run/node-bundle.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A bundled function. */
export interface LambdaBundle {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Bundles every `lambda/*.ts` into `<target>/<name>/index.mjs`: what CDK deploys and what runs on a laptop.
 *
 * @param target a directory; absolute
 * @throws esbuild's error for a file that does not compile
 */
export async function bundleLambdas(target: string): Promise<readonly LambdaBundle[]> {
  const files = (await readdir(join(root, 'lambda'))).filter((file) => file.endsWith('.ts')).sort();
  return Promise.all(files.map((file) => bundleOne(file.slice(0, -'.ts'.length), target)));
}

async function bundleOne(name: string, target: string): Promise<LambdaBundle> {
  const path = join(target, name, 'index.mjs');
  const { metafile } = await build({
    ...nodeBundle,
    entryPoints: [join(root, 'lambda', `${name}.ts`)],
    outfile: path,
    // Paths in the output are relative to this, so that the asset's hash is the same on every machine.
    absWorkingDir: root,
    minify: true,
    // A class that the minifier renamed would show in logs.
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
  });
  return { name, path, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
}
