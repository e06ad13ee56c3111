import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { nodeBundle } from '../../start/state-machine/node-bundle.js';
import { buildDeclarations } from './declarations.js';
import { buildLibrary } from './library.js';

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

/**
 * Library, types and command line into `dist`: all that is published but the functions' bundles.
 *
 * @param dist absolute
 * @param checks whether errors of types end it
 */
export async function buildPackage(dist: string, { checks = true } = {}): Promise<void> {
  // What an earlier build left would be published, too.
  for (const folder of ['esm', 'cjs', 'node', 'types', 'bin', 'lib']) {
    await rm(join(dist, folder), { recursive: true, force: true });
  }
  const [library, commandLine] = await Promise.all([
    buildLibrary(dist),
    buildCommandLine(dist),
    buildDeclarations(dist, checks),
  ]);
  await writeLicences(join(dist, 'third-party-licences.txt'), [library, commandLine]);
}

/** Writes which packages are bundled into ours, and their licences, each text once. */
async function writeLicences(path: string, bundles: readonly Metafile[]): Promise<void> {
  const folders = new Set(
    bundles.flatMap(({ outputs }) =>
      Object.values(outputs).flatMap(({ inputs }) =>
        Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => {
          const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
          return folder && bytesInOutput > 0 ? [folder] : [];
        }),
      ),
    ),
  );
  const users = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const file = (await readdir(join(root, folder))).find((one) => /^licen[cs]e/i.test(one));
    const text = file ? (await readFile(join(root, folder, file), 'utf8')).trim() : `Licence: ${license}`;
    users.set(text, [...(users.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...users].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  await writeFile(path, `Bundled into this package:\n\n${parts.join(`\n${'-'.repeat(78)}\n\n`)}`);
}
