import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { loadedAtStart } from '../../../bin/build/lambda-bundles.js';
import { importName, subPaths as listed } from '../../../bin/build/package/sub-paths.js';
import { nodeBundle } from '../../../bin/start/state-machine/node-bundle.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** `leasehold`, `leasehold/fence`, …: each name that the package can be imported by, with its source file. */
export const subPaths: Readonly<Record<string, string>> = Object.fromEntries(
  // What is built from it may be older than it; the packed package has a test of its own.
  listed.map((one) => [importName(one), join(root, one.source)]),
);

/** A bundle as a user's build makes it of one entry. */
export interface SubPathBundle {
  /** The entry's path. */
  readonly path: string;
  /** Packages in it, `leasehold` for our own code; those that it loads only by a dynamic import in `later`. */
  readonly packages: ReadonlySet<string>;
  readonly later: ReadonlySet<string>;
  /** Our own source files that are loaded at the start. */
  readonly sources: readonly string[];
}

/**
 * @param outdir where it is written; absolute
 * @param contents the user's code
 * @param packages whether other packages are bundled, too
 * @param absent packages that are not there
 */
export async function subPathBundle(
  outdir: string,
  contents: string,
  packages: 'bundle' | 'external' = 'bundle',
  absent: readonly string[] = [],
): Promise<SubPathBundle> {
  const { metafile } = await build({
    ...nodeBundle,
    stdin: { contents, resolveDir: root, sourcefile: 'entry.ts', loader: 'ts' },
    entryNames: 'index',
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    packages,
    plugins: [ownName],
    // To names that nothing has: what a bundler can't find, and is not told to pass, ends the build.
    alias: Object.fromEntries(absent.map((name) => [name, `${name}-absent`])),
    absWorkingDir: root,
    metafile: true,
    logLevel: 'silent',
  });
  const entry = Object.keys(metafile.outputs).find((output) => output.endsWith('index.mjs'))!;
  const atStart = loadedAtStart(metafile, entry);
  const later = Object.keys(metafile.outputs).filter((output) => !atStart.includes(output));
  const inputs = inputsOf(metafile, atStart);
  return {
    path: join(outdir, 'index.mjs'),
    packages: new Set(inputs.map(packageOf)),
    later: new Set(inputsOf(metafile, later).map(packageOf)),
    sources: inputs.filter((input) => packageOf(input) === 'leasehold'),
  };
}

/** What contributes at least a byte, and what is left to be loaded at run time. */
function inputsOf({ outputs }: Metafile, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [
    ...Object.entries(outputs[path]!.inputs).flatMap(([input, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [input] : [],
    ),
    ...outputs[path]!.imports.flatMap(({ path: name, external, kind }) =>
      external && kind === 'import-statement' && !name.startsWith('node:') ? [`node_modules/${name}/`] : [],
    ),
  ]);
}

function packageOf(input: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? 'leasehold';
}

/** Node resolves a package's own name by its `exports`; here to the sources. */
const ownName: Plugin = {
  name: 'own-name',
  setup({ onResolve }) {
    onResolve({ filter: /^leasehold(\/|$)/ }, ({ path }) =>
      subPaths[path] ? { path: subPaths[path], sideEffects: false } : { errors: [{ text: `no ${path}` }] },
    );
  },
};
