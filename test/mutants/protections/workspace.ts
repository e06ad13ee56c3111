import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Protection } from './protection.js';

/** What tests may need; folders that are not there are passed over. */
const copied = [
  ...['lib', 'test', 'build', 'bin', 'lambda', 'package.json', 'tsconfig.json'],
  // What constructs are synthesized with.
  ...['cdk.json', 'dist/lambda'],
];

/** The repository's own settings name its own report. */
const settings = "export default { test: { include: ['test/**/*.test.ts'], hookTimeout: 60_000 } };\n";

/** A copy of the sources in which something is broken on purpose. The repository itself is never touched. */
export class Workspace implements AsyncDisposable {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Copies the sources into the ignored folder; installed packages are shared. */
  static async make(repository: string, id: string): Promise<Workspace> {
    const root = join(repository, '.leasehold', 'protections', `${process.pid}-${id}`);
    await rm(root, { recursive: true, force: true });
    await mkdir(root, { recursive: true });
    for (const name of copied) {
      await cp(join(repository, name), join(root, name), { recursive: true }).catch((error) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
    await writeFile(join(root, 'vitest.config.mjs'), settings);
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'), 'dir');
    return new Workspace(root);
  }

  /**
   * Takes a protection out.
   *
   * @throws Error when its text does not stand in its file exactly once
   */
  async takeOut({ id, file, find, replace }: Protection): Promise<void> {
    const path = join(this.root, file);
    const source = await readFile(path, 'utf8');
    const places = source.split(find).length - 1;
    if (places !== 1) throw new Error(`${id}: its text stands ${places} times in ${file}, not once`);
    // A function, so that no `$` in the text has a meaning.
    await writeFile(
      path,
      source.replace(find, () => replace),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
