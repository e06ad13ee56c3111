import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { subPaths } from './sub-paths.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const installed = new Set(Object.keys({ ...dependencies, ...peerDependencies }));

/**
 * The declarations into `<dist>/cjs/types`, as Node gets the same objects by `import` and by `require`, and into
 * `<dist>/types` a file for each sub-path that passes them on to importers of ES modules. Only files that a sub-path's
 * declarations lead to.
 *
 * @param checks whether the compiler looks for errors of types, which takes longer than all else
 * @returns their paths below `cjs/types`
 * @throws Error with what the compiler says
 */
export async function buildDeclarations(dist: string, checks: boolean): Promise<readonly string[]> {
  await mkdir(join(root, '.leasehold'), { recursive: true });
  const made = await mkdtemp(join(root, '.leasehold/declarations-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const args = ['-p', 'tsconfig.build.json', '--outDir', made, '--noCheck', String(!checks)];
    await promisify(execFile)(process.execPath, [compiler, ...args], { cwd: root }).catch(
      ({ stdout, message }) => {
        throw new Error(stdout || message);
      },
    );
    const texts = await reachable(
      made,
      subPaths.map(({ source }) => source.replace(/\.ts$/, '.d.ts')),
    );
    for (const [path, text] of texts) {
      checkImports(path, text);
      await write(join(dist, 'cjs/types', path), text);
    }
    for (const { source, file } of subPaths) {
      const from = `../cjs/types/${source.replace(/\.ts$/, '.js')}`;
      await write(join(dist, 'types', `${file}.d.ts`), `export * from '${from}';\n`);
    }
    return [...texts.keys()];
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Types of what is bundled would not be found where the package is installed. */
function checkImports(path: string, text: string): void {
  for (const [, name] of text.matchAll(/(?:from |import\()["']((?:@[^/"']+\/)?[^./"'][^/"']*)/g)) {
    if (name!.startsWith('node:') || installed.has(name!)) continue;
    throw new Error(`${path}: the types need "${name}", which users do not have`);
  }
}

/** The declaration files that some lead to, they included: path and text. */
async function reachable(folder: string, entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    if (texts.has(path)) return;
    const text = await readFile(join(folder, path), 'utf8');
    texts.set(path, text);
    for (const [, specifier] of text.matchAll(/(?:from |import\(|import )["'](\.{1,2}\/[^"']+)\.js["']/g)) {
      await visit(relative(folder, join(folder, dirname(path), `${specifier}.d.ts`)));
    }
  };
  for (const entry of entries) await visit(entry);
  return texts;
}
