import { readdir, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { nodeBundle } from '../start/state-machine/node-bundle.js';
import { loadedAtStart, loadedEver } from './loaded-at-start.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A bundled function: its `index.mjs`; it shares `chunks/` beside its folder with the others. */
export interface LambdaBundle {
  readonly name: string;
  readonly path: string;
  /** What a cold start loads: the entry, what it imports statically, and what is switched on unless told otherwise. */
  readonly bytes: number;
  /** The other chunks: loaded by a dynamic import in some cases only, or never. */
  readonly laterBytes: number;
}

/** Imported dynamically, and yet by every start in which nobody has switched them off. */
const onByDefault = [
  'lib/lambda/observability/logs.ts',
  'lib/lambda/observability/metrics.ts',
  'node_modules/@aws-lambda-powertools/logger/lib/esm/index.js',
  'node_modules/@aws-lambda-powertools/metrics/lib/esm/index.js',
];

/**
 * Bundles every `lambda/*.ts` into `<target>/<name>/index.mjs`: what CDK deploys, as one asset for all functions, and
 * what runs on a laptop. The lock service, whose callers wait for its start, is bundled by itself, so that it has only
 * what it uses. The others, which nobody waits for, share their chunks: by themselves they would be a megabyte more.
 *
 * @param target a directory; absolute
 * @throws esbuild's error for a file that does not compile
 */
export async function bundleLambdas(target: string): Promise<readonly LambdaBundle[]> {
  const files = (await readdir(join(root, 'lambda'))).filter((file) => file.endsWith('.ts')).sort();
  return bundle(
    files.map((file) => join(root, 'lambda', file)),
    target,
  );
}

/** One function, from any entry that exports a handler, as all of them are bundled. */
export async function bundleLambda(entry: string, target: string): Promise<LambdaBundle> {
  const [made] = await bundle([entry], target);
  return made!;
}

/** Bundled by themselves. */
const startsFast = ['lock-service'];

async function bundle(entries: readonly string[], target: string): Promise<readonly LambdaBundle[]> {
  const others = entries.filter((entry) => !startsFast.includes(toName(entry)));
  const alone = entries.filter((entry) => startsFast.includes(toName(entry)));
  const groups = [...alone.map((entry) => [entry]), others].filter((group) => group.length > 0);
  const made = await Promise.all(
    groups.map(async (group) => {
      const metafile = await bundleTogether(group, target);
      const bundles = group.map((entry) => {
        const path = join(target, toName(entry), 'index.mjs');
        return { name: toName(entry), path, ...readSizes(metafile, relative(root, path)) };
      });
      return { bundles, metafile };
    }),
  );
  await removeOthers(
    join(target, 'chunks'),
    made.map(({ metafile }) => metafile),
  );
  return made.flatMap(({ bundles }) => bundles);
}

const toName = (entry: string) => basename(entry, '.ts');

async function bundleTogether(entries: readonly string[], target: string): Promise<Metafile> {
  const { metafile } = await build({
    ...nodeBundle,
    entryPoints: entries.map((entry) => ({ in: entry, out: `${toName(entry)}/index` })),
    outdir: target,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    // Named by what is in it.
    chunkNames: 'chunks/[name]-[hash]',
    alias: {
      '@aws-sdk/credential-provider-node': join(root, 'bin/build/lambda-parts/environment-credentials.ts'),
      bowser: join(root, 'bin/build/lambda-parts/no-bowser.ts'),
    },
    // Paths in the output are relative to this, so that the asset's hash is the same on every machine.
    absWorkingDir: root,
    minify: true,
    // A class that the minifier renamed would show in logs.
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** Chunks of an earlier build: their names carry hashes, and a deployed directory holds what is in it. */
async function removeOthers(chunks: string, metafiles: readonly Metafile[]): Promise<void> {
  const outputs = metafiles.flatMap((metafile) => Object.keys(metafile.outputs));
  const wanted = new Set(outputs.map((path) => join(root, path)));
  for (const file of await readdir(chunks).catch(() => [])) {
    if (!wanted.has(join(chunks, file))) await rm(join(chunks, file), { force: true });
  }
}

function readSizes(metafile: Metafile, entry: string): { bytes: number; laterBytes: number } {
  const total = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + metafile.outputs[path]!.bytes, 0);
  const ever = loadedEver(metafile, entry);
  const parts = ever.filter((path) => onByDefault.includes(metafile.outputs[path]!.entryPoint ?? ''));
  const bytes = total(loadedAtStart(metafile, entry, ...parts));
  return { bytes, laterBytes: total(ever) - bytes };
}
