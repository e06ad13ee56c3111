import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin, transform } from 'esbuild';
import { importName, type SubPath, subPaths } from './sub-paths.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What stays outside: the user's own copies, and Node. Anything else, like the schemas' library, is bundled. */
const outside = [
  '@aws-sdk/*',
  '@smithy/*',
  '@aws-lambda-powertools/*',
  'aws-cdk-lib',
  'constructs',
  'testcontainers',
  'dynalite',
  'esbuild',
];

/**
 * The library's code into `<dist>/esm`, `<dist>/cjs` and `<dist>/node`. Made once, in a few files: a start opens
 * tens of files, not hundreds.
 *
 * @returns what is in it
 * @throws esbuild's error for code that does not compile
 */
export async function buildLibrary(dist: string): Promise<Metafile> {
  const { metafile, outputFiles } = await buildModules(dist);
  for (const folder of ['cjs', 'node']) await mkdir(join(dist, folder), { recursive: true });
  await writeFile(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  for (const { path, text } of outputFiles) {
    await writeFile(path.replace(join(dist, 'esm'), join(dist, 'cjs')), await commonJs(text));
  }
  await writeFile(join(dist, 'node/missing-peer.cjs'), missingPeer);
  for (const subPath of subPaths) {
    const path = join(dist, 'node', `${subPath.file}.cjs`);
    await writeFile(path, guardedEntry(subPath));
    const names = Object.keys(createRequire(import.meta.url)(path)).sort();
    await writeFile(join(dist, 'node', `${subPath.file}.js`), forImport(subPath, names));
  }
  return metafile;
}

/** What bundlers take, into `<dist>/esm`. Answers it as it was before it was laid out for them. */
export async function buildModules(dist: string) {
  const made = await build({
    entryPoints: subPaths.map(({ source, file }) => ({ in: join(root, source), out: file })),
    outdir: join(dist, 'esm'),
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    plugins: [clientInOneFile],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: outside,
    absWorkingDir: root,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  await mkdir(join(dist, 'esm'), { recursive: true });
  for (const { path, text } of made.outputFiles) await writeForBundlers(path, text);
  return made;
}

/**
 * Puts all that a client needs at once into one file. Code splitting makes a file of each set of modules that the same names
 * and later parts share. Where each later part of the client imports the client, too, which is there by then, that is one set:
 * a bundler that splits code itself then makes two files of it and not nine, a kilobyte less to load.
 */
const clientInOneFile: Plugin = {
  name: 'client-in-one-file',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^\./ }, async ({ kind, path, importer, resolveDir, namespace }) => {
      const isOfClient = /^lib[\\/](client|lease|table)[\\/]/.test(relative(root, importer));
      if (kind !== 'dynamic-import' || namespace !== 'file' || !isOfClient) return undefined;
      const found = await resolve(path, { kind: 'import-statement', importer, resolveDir });
      return found.errors.length > 0 ? found : { path: found.path, namespace: 'later' };
    });
    onLoad({ filter: /./, namespace: 'later' }, ({ path }) => ({
      contents: `export * from ${JSON.stringify(path)};
        export { LockClient as startedBy } from ${JSON.stringify(join(root, 'lib/client/lock-client.ts'))};`,
      resolveDir: dirname(path),
    }));
  },
};

/** Bundlers lay code out anew: what people read of it when something fails is the CommonJS module. */
async function writeForBundlers(path: string, text: string): Promise<void> {
  const sources = findHandedOn(text);
  if (sources && sources.size > 1) return writeHandingOn(path, sources);
  // With the white space esbuild would take the words that tell a bundler to leave an import alone.
  const minifyWhitespace = !/webpackIgnore|@vite-ignore/.test(text);
  const { code } = await transform(text, { format: 'esm', target: 'node20', minifyWhitespace });
  await writeFile(path, code);
}

/** The names that a file hands on, by the file that has them; `undefined` for a file that does anything else. */
function findHandedOn(text: string): ReadonlyMap<string, readonly string[]> | undefined {
  const sources = new Map<string, readonly string[]>();
  const namesIn = (list: string) => list.split(',').flatMap((name) => name.trim() || []);
  const rest = text.replace(
    /^import (?:\{([^}]*)\} from )?"([^"]+)";$/gm,
    (_, list: string | undefined, source) => {
      if (list) sources.set(source, namesIn(list));
      return '';
    },
  );
  const exported = /^\s*export \{([^}]*)\};\s*$/.exec(rest)?.[1];
  const handedOn = [...sources.values()].flat().sort();
  return exported && `${namesIn(exported).sort()}` === `${handedOn}` ? sources : undefined;
}

/**
 * A file for each source, and one that hands on all of them: for a name that it takes, a bundler which splits code loads all
 * sources that the same file names.
 */
async function writeHandingOn(path: string, sources: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const files: string[] = [];
  for (const [source, names] of sources) {
    const file = `${basename(path, '.js')}-${files.length + 1}.js`;
    files.push(file);
    await writeFile(join(dirname(path), file), `export{${names}}from${JSON.stringify(source)};\n`);
  }
  await writeFile(path, files.map((file) => `export*from"./${file}";\n`).join(''));
}

/** The same module for `require`. Its own address is that of the file, where there is one: a bundle may have none. */
async function commonJs(text: string): Promise<string> {
  const asksItsAddress = text.includes('import.meta.url');
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Jest's sandbox has no dynamic import, and by `require` the peers are the copies that the user has, too.
    supported: { 'dynamic-import': false },
    define: asksItsAddress ? { 'import.meta.url': 'leaseholdAddress' } : {},
    ...(asksItsAddress && {
      banner:
        "const leaseholdAddress = typeof __filename === 'string' ? require('node:url').pathToFileURL(__filename).href : undefined;",
    }),
  });
  return code;
}

/** A package that is not there is named with the line to type. */
function guardedEntry({ path, file, needs }: SubPath): string {
  return `'use strict';
try {
  module.exports = require('../cjs/${file}.js');
} catch (error) {
  throw require('./missing-peer.cjs')(error, ${JSON.stringify(importName({ path }))}, ${JSON.stringify(needs)});
}
`;
}

const missingPeer = `'use strict';
module.exports = function explained(error, name, needs) {
  if (!error || error.code !== 'MODULE_NOT_FOUND') return error;
  const missing = needs.filter((one) => new RegExp("'" + one + "(/[^']*)?'").test(error.message));
  if (missing.length === 0) return error;
  const gone = needs.filter((one) => missing.includes(one) || !isInstalled(one));
  const message = name + ' needs ' + gone.join(' and ') + '; npm install ' + gone.join(' ');
  return Object.assign(new Error(message, { cause: error }), { code: 'MODULE_NOT_FOUND' });
};
function isInstalled(name) {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
`;

/**
 * By `import`, the same objects as by `require`. Not by an import of that file: where what it needs is missing, Node 20
 * would not only reject the import, but also end the process with an unhandled rejection.
 */
function forImport({ file }: SubPath, names: readonly string[]): string {
  return `import { createRequire } from 'node:module';
export const {
${names.map((name) => `  ${name},`).join('\n')}
} = createRequire(import.meta.url)('./${file}.cjs');
`;
}
