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
    inject: [join(root, 'test/simulation/world/plain-weak.ts')],
    plugins: [changing(open, changes), withPlainCommands],
  });
  const [unused] = open;
  if (unused) throw new Error(`${unused.file} is not part of the bundle`);
  return outfile;
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
const withPlainCommands: Plugin = {
  name: 'plain-commands',
  setup({ onResolve, onLoad }) {
    const namespace = 'plain-commands';
    onResolve(
      { filter: /^@aws-sdk\/(client-dynamodb|lib-dynamodb|client-s3)$/ },
      ({ path, namespace: from }) => (from === namespace ? { path, external: true } : { path, namespace }),
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: [
        `import { PlainCommand } from './plain-commands.js';`,
        `export * from '${path}';`,
        ...plainCommands[path]!.map((name) => `export class ${name} extends PlainCommand {}`),
      ].join('\n'),
      resolveDir: join(root, 'test/simulation/net'),
      loader: 'ts',
    }));
  },
};

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
