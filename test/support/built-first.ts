import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundleLambdas } from '../../bin/build/lambda-bundles.js';
import { buildCommandLine } from '../../bin/build/package/build-package.js';
import { nodeBundle } from '../../bin/start/state-machine/node-bundle.js';
import { commandLine } from './bundles.js';
import { compiled, compiledDirectory } from './compiled.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');

/** What the bundles are made of. */
const sources = ['lib', 'lambda', 'bin', 'package-lock.json'];

/** What child processes of tests run. */
const folders = ['lib', 'bin', 'test/support', 'test/chaos', 'test/linear'];

/** Packages that almost every child process loads. */
const sdk = ['client-dynamodb', 'lib-dynamodb', 'util-dynamodb', 'client-s3', 'client-lambda'];

/**
 * Before all tests that may start processes: makes the functions' bundles, the command line's, and the sources as plain
 * JavaScript, unless they are newer than all that they are made of. Without a TypeScript loader a process starts in a
 * third of the time, and with the SDK in a few files instead of hundreds in half of that.
 */
export async function setup(): Promise<void> {
  await Promise.all([makeBundles(), compileSources()]);
}

async function makeBundles(): Promise<void> {
  const made = [join(dist, 'lambda', 'verify', 'index.mjs'), commandLine];
  if (isNewer(made, sources)) return;
  await bundleLambdas(join(dist, 'lambda'));
  await buildCommandLine(join(compiledDirectory, 'dist'));
}

/** File by file, so that what a file starts beside itself is beside it again. */
async function compileSources(): Promise<void> {
  if (isNewer([join(compiledDirectory, 'bin', 'start.js')], [...folders, 'package-lock.json'])) return;
  const entryPoints = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.includes('foreign-'))
      .map((path) => join(root, folder, path)),
  );
  await build({
    entryPoints,
    outdir: compiledDirectory,
    outbase: root,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  await bundleSdk();
  await bundleEntries();
}

/** What children run, each in a few files, where its own file is: what it looks for beside itself is there. */
const entries = [
  'bin/start.ts',
  'bin/start/stack/synth-main.ts',
  'test/chaos/main.ts',
  'test/support/client/hold-until-told.ts',
  'test/support/scan/scan-child.ts',
];

async function bundleEntries(): Promise<void> {
  await build({
    entryPoints: entries.map((path) => join(root, path)),
    outdir: compiledDirectory,
    outbase: root,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    // Errors are told apart by the names of their classes.
    keepNames: true,
    // The package says that nothing in it acts when it is loaded. In programs something does.
    ignoreAnnotations: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The SDK in its few files; what finds its own files; and what a process loads only where it is needed.
    external: [
      '@aws-sdk/*',
      'aws-cdk-lib',
      'constructs',
      'dynalite',
      'esbuild',
      'testcontainers',
      '@dynoxide/*',
    ],
    banner: nodeBundle.banner,
    define: { 'import.meta.url': 'ownUrl', 'import.meta.dirname': 'ownFolder' },
    plugins: [whereItWas],
    absWorkingDir: root,
    logLevel: 'error',
  });
}

/** A module that is bundled still says where it was compiled to by itself. */
const whereItWas: Plugin = {
  name: 'where-it-was',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const own = compiled(path);
      const [url, folder] = [pathToFileURL(own).href, dirname(own)].map((value) => JSON.stringify(value));
      return { contents: `const ownUrl = ${url}, ownFolder = ${folder};${text}`, loader: 'ts' };
    });
  },
};

/** Where what is compiled finds it before the packages that are installed. Together, since they share most of it. */
async function bundleSdk(): Promise<void> {
  const outdir = join(compiledDirectory, 'node_modules', '@aws-sdk');
  await build({
    ...nodeBundle,
    entryPoints: sdk.map((name) => ({ in: `@aws-sdk/${name}`, out: `${name}/index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    absWorkingDir: root,
    logLevel: 'error',
  });
  for (const name of sdk) {
    mkdirSync(join(outdir, name), { recursive: true });
    writeFileSync(join(outdir, name, 'package.json'), '{ "type": "module", "exports": "./index.mjs" }');
  }
}

/** Whether all of this is there, and newer than all of that. */
function isNewer(made: readonly string[], than: readonly string[]): boolean {
  const newest = Math.max(...than.map((path) => newestIn(join(root, path))));
  return made.every((path) => existsSync(path) && statSync(path).mtimeMs > newest);
}

/** When a file, or anything in a folder, was changed last. */
function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, newestIn(join(path, name))),
    own.mtimeMs,
  );
}
