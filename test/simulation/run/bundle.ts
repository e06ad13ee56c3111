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
  await buildBundle(root, entry, outfile, [changing(open, changes)]);
  const [unused] = open;
  if (unused) throw new Error(`${unused.file} is not part of the bundle`);
  return outfile;
}

/**
 * Bundles what a file of the simulator loads, but for packages.
 *
 * @param from the root of the repository, or of a copy of it
 */
export async function buildBundle(
  from: string,
  entry: string,
  outfile: string,
  plugins: Plugin[] = [],
): Promise<void> {
  await build({
    entryPoints: [join(from, 'test/simulation/run', entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    inject: [join(from, 'test/simulation/world/plain-weak.ts')],
    plugins: [...plugins, withPlainCommands(from)],
  });
}

/** The commands that the simulated client is sent. Others stay the SDK's, and work as well. */
const plainCommands: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-dynamodb': [
    ...['GetItemCommand', 'PutItemCommand', 'UpdateItemCommand', 'BatchGetItemCommand'],
    ...['QueryCommand', 'ScanCommand'],
  ],
  '@aws-sdk/lib-dynamodb': ['PutCommand', 'UpdateCommand', 'DeleteCommand', 'TransactWriteCommand'],
  '@aws-sdk/client-s3': ['ListObjectsV2Command', 'GetObjectCommand', 'PutObjectCommand', 'HeadObjectCommand'],
};

/** Puts plain commands in the place of the SDK's, whose making was a twentieth of a schedule. */
const withPlainCommands = (from: string): Plugin => ({
  name: 'plain-commands',
  setup({ onResolve, onLoad }) {
    const namespace = 'plain-commands';
    onResolve(
      { filter: /^@aws-sdk\/(client-dynamodb|lib-dynamodb|client-s3)$/ },
      ({ path, namespace: within }) =>
        within === namespace ? { path, external: true } : { path, namespace },
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: [
        `import { PlainCommand } from './plain-commands.js';`,
        `export * from '${path}';`,
        ...plainCommands[path]!.map((name) => `export class ${name} extends PlainCommand {}`),
      ].join('\n'),
      resolveDir: join(from, 'test/simulation/net'),
      loader: 'ts',
    }));
  },
});

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
