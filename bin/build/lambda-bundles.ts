import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import { nodeBundle } from '../start/state-machine/node-bundle.js';
import { buildModules } from './package/library.js';

/** What was measured, and what it may be at most. */
interface Share {
  readonly name: string;
  readonly bytes: number;
  /** Absent: nobody has said how large this may be, which counts as too large. */
  readonly budgetBytes: number | undefined;
  /** Chunks that a start does not load. */
  readonly laterBytes?: number;
  /** By gzip, as it travels. */
  readonly compressedBytes?: number;
  /** What that may be at most. Absent: it is for information only. */
  readonly compressedBudgetBytes?: number;
}

const kilobyte = 1_000;

/**
 * What a cold start of each function may load, the SDK in it, in bytes. A start reads and compiles all of it, so each
 * is kept near what it is today; who needs more says so here.
 */
const functionBudgets: Readonly<Record<string, number>> = {
  'lock-service': 330 * kilobyte,
  // The scan's functions have the client of S3 besides, a quarter of each, and share what any of them has.
  plan: 580 * kilobyte,
  sweep: 400 * kilobyte,
  verify: 580 * kilobyte,
  work: 580 * kilobyte,
};

/**
 * What a program loads that imports `LockClient` and brings its own SDK, minified: what takes, holds and gives back a
 * lock of a table. The rest comes in five parts with the first call that needs it: the store's errors and lists; a time that
 * is not known; refused writes, checkpoints and completions; waiting and all other calls of the client; the service. The aim
 * is 30 KB, and 10 KB compressed. A hold and its heartbeat are a quarter of it, the options and their checks, which must
 * speak at once, a sixth, and a twentieth are methods whose code is loaded later, which must copy what they are given.
 * Renewals stay: who holds a lock while files are replaced, as by `npm ci`, must not lose it for that, and to load them with
 * each first grant takes a process more than it saves. Objects that each lock comes by are written out, two hundred bytes of
 * it, which makes a cycle some percent faster. That a holder counts its lease from when it asked, so that a waiter may watch
 * it, is two hundred and fifty.
 */
const clientBudgetBytes = 32.2 * kilobyte;
const clientCompressedBudgetBytes = 12.7 * kilobyte;

/** The functions' shares, each with its budget. */
export function functionShares(bundles: readonly LambdaBundle[]): readonly Share[] {
  return bundles.map(({ name, bytes, laterBytes }) => ({
    name: `lambda ${name}`,
    bytes,
    laterBytes,
    budgetBytes: functionBudgets[name],
  }));
}

/** The client's own share: its code without the SDK's, as a user's bundler minifies what is published. */
export async function clientShare(): Promise<Share> {
  const home = await mkdtemp(join(tmpdir(), 'leasehold-share-'));
  try {
    await buildModules(home);
    await copyFile(join(root, 'package.json'), join(home, 'package.json'));
    return await measureClient(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function measureClient(home: string): Promise<Share> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export { LockClient } from './esm/index.js';", resolveDir: home },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@aws-sdk/*', '@smithy/*'],
    splitting: true,
    absWorkingDir: home,
    outdir: 'client',
    metafile: true,
    write: false,
    // It would warn of each import that it leaves out since nothing in the package acts when it is loaded.
    logLevel: 'error',
  });
  const atStart = new Set(loadedAtStart(metafile, 'client/stdin.js'));
  const code = Buffer.concat(
    outputFiles.filter(({ path }) => atStart.has(relative(home, path))).map(({ contents }) => contents),
  );
  return {
    name: 'LockClient without the SDK',
    bytes: code.byteLength,
    compressedBytes: gzipSync(code).byteLength,
    budgetBytes: clientBudgetBytes,
    compressedBudgetBytes: clientCompressedBudgetBytes,
  };
}

/** One line for people. */
export function shareLine(share: Share): string {
  const { name, bytes, budgetBytes, laterBytes = 0, compressedBytes, compressedBudgetBytes } = share;
  const most = compressedBudgetBytes === undefined ? '' : ` of ${inKilobytes(compressedBudgetBytes)}`;
  const compressed =
    compressedBytes === undefined ? '' : `, ${inKilobytes(compressedBytes)}${most} compressed`;
  const later = laterBytes > 0 ? `, and ${inKilobytes(laterBytes)} loaded only when needed` : compressed;
  if (budgetBytes === undefined) return `${name}: ${inKilobytes(bytes)}${later}; it has no budget`;
  const over = fits(share) ? '' : ': TOO LARGE';
  return `${name}: ${inKilobytes(bytes)} of ${inKilobytes(budgetBytes)}${later}${over}`;
}

/** Whether it keeps to its budgets. */
export function fits({ bytes, budgetBytes, compressedBytes = 0, compressedBudgetBytes }: Share): boolean {
  const travelsLight = compressedBytes <= (compressedBudgetBytes ?? Number.POSITIVE_INFINITY);
  return budgetBytes !== undefined && bytes <= budgetBytes && travelsLight;
}

const inKilobytes = (bytes: number) => `${(bytes / kilobyte).toFixed(1)} KB`;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A bundled function: its `index.mjs`; it shares `chunks/` beside its folder with the others. */
export interface LambdaBundle {
  readonly name: string;
  readonly path: string;
  /** What a cold start loads: the entry, and what it imports statically. */
  readonly bytes: number;
  /** How many files that is. */
  readonly files: number;
  /** The other chunks: loaded by a dynamic import in some cases only, or never. */
  readonly laterBytes: number;
}

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

/** Functions that are bundled by themselves. */
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
  const [alone, ...others] = entries;
  const { metafile } = await build({
    ...nodeBundle,
    plugins: alone !== undefined && others.length === 0 ? [startInOneChunk(alone)] : [],
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

/**
 * Puts all that a start loads into one chunk. Code splitting makes a chunk of each set of modules that the same entries and
 * dynamic imports share, some thirty of them, and each is a file to find, open and link. Where everything loaded later
 * imports the entry, too, which is there by then, what the entry needs is one such set.
 */
function startInOneChunk(entry: string): Plugin {
  return {
    name: 'start-in-one-chunk',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /./ }, async ({ kind, path, importer, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const found = await resolve(path, { kind: 'import-statement', importer, resolveDir });
        return found.external || found.errors.length > 0 ? found : { path: found.path, namespace: 'later' };
      });
      onLoad({ filter: /./, namespace: 'later' }, ({ path }) => ({
        contents: `import * as start from ${JSON.stringify(entry)};
          export * from ${JSON.stringify(path)};`,
        resolveDir: dirname(path),
      }));
    },
  };
}

/** Chunks of an earlier build: their names carry hashes, and a deployed directory holds what is in it. */
async function removeOthers(chunks: string, metafiles: readonly Metafile[]): Promise<void> {
  const outputs = metafiles.flatMap((metafile) => Object.keys(metafile.outputs));
  const wanted = new Set(outputs.map((path) => join(root, path)));
  for (const file of await readdir(chunks).catch(() => [])) {
    if (!wanted.has(join(chunks, file))) await rm(join(chunks, file), { force: true });
  }
}

function readSizes(metafile: Metafile, entry: string): Pick<LambdaBundle, 'bytes' | 'files' | 'laterBytes'> {
  const total = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + metafile.outputs[path]!.bytes, 0);
  const atStart = loadedAtStart(metafile, entry);
  const bytes = total(atStart);
  return { bytes, files: atStart.length, laterBytes: total(loadedEver(metafile, entry)) - bytes };
}

/** The output files that are loaded along with an entry: it, and what it imports statically, and so on. */
export function loadedAtStart(metafile: Metafile, entry: string): readonly string[] {
  return reached(metafile, entry, (kind) => kind === 'import-statement');
}

/** The output files that an entry ever loads. */
function loadedEver(metafile: Metafile, entry: string): readonly string[] {
  return reached(metafile, entry, () => true);
}

function reached(
  { outputs }: Metafile,
  entry: string,
  follows: (kind: string) => boolean,
): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path) || !outputs[path]) return;
    found.add(path);
    for (const { path: imported, kind } of outputs[path].imports) {
      if (follows(kind)) visit(imported);
    }
  };
  visit(entry);
  return [...found];
}
