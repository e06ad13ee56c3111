import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { importName, subPaths } from '../../../bin/build/package/sub-paths.js';
import { packedPackage } from '../package/packed-package.js';

/** A fenced block of TypeScript in a document. */
export interface CodeBlock {
  readonly document: string;
  /** The line on which its code begins, from 1. */
  readonly line: number;
  readonly code: string;
}

/** All ```ts blocks of a document. */
export async function codeBlocksOf(root: string, document: string): Promise<readonly CodeBlock[]> {
  const text = await readFile(join(root, document), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    document,
    line: text.slice(0, match.index).split('\n').length + 1,
    code: match[1]!,
  }));
}

/**
 * Lays the blocks out as modules of a small project that knows the package by its own name, as it is published, and
 * returns the path of its tsconfig. What a block takes from its surroundings (`ledger`, `invoice`) is declared in `surroundings.d.ts`.
 */
export async function projectOf(
  root: string,
  directory: string,
  blocks: readonly CodeBlock[],
  surroundings: string,
): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const { document, line, code } of blocks) {
    const file = join(directory, `${document.replaceAll('/', '-')}-line-${line}.ts`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${code}\nexport {};\n`);
  }
  await writeFile(join(directory, 'surroundings.d.ts'), surroundings);
  const { types } = await packedPackage();
  const paths = Object.fromEntries(subPaths.map((one) => [importName(one), [`${types}/${one.file}.d.ts`]]));
  const tsconfig = {
    extends: `${root}/tsconfig.json`,
    compilerOptions: { paths: { ...paths, ...coreOfCdk(root) } },
    include: ['*.ts'],
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig));
  return join(directory, 'tsconfig.json');
}

/** Of CDK's root only the core is used: the types of two hundred services take longer to read than all else. */
function coreOfCdk(root: string): Readonly<Record<string, readonly string[]>> {
  return { 'aws-cdk-lib': [`${root}/node_modules/aws-cdk-lib/core/index.d.ts`] };
}

/** What the compiler has against a project; nothing if it compiles. */
export function compileErrors(project: string): Promise<string> {
  const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
  return promisify(execFile)(process.execPath, [compiler, '--noEmit', '-p', project]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}
