import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SourceChange, toChanged } from '../../support/source-change.js';

/** What tests may need; what is not there is passed over. */
const copied = [
  ...['lib', 'test', 'bin', 'lambda', 'docs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'],
  // What constructs are synthesized with.
  ...['cdk.json', 'dist/lambda', 'package-lock.json', 'examples'],
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
];

/** The repository's own settings name its own report. Some removals show in the long form of a property only. */
const settings = `export default {
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/built-first.ts',
    hookTimeout: 60_000,
    env: { LEASEHOLD_TEST_SIZE: 'long', CDK_VALIDATION: 'false' },
  },
};
`;

/** A copy of the sources in which something is broken on purpose. The repository itself is never touched. */
export class Workspace implements AsyncDisposable {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Copies the sources into the ignored folder; installed packages are shared. */
  static async make(repository: string): Promise<Workspace> {
    const parent = join(repository, '.leasehold', 'mutants');
    await mkdir(parent, { recursive: true });
    const root = await mkdtemp(join(parent, 'copy-'));
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
   * Changes the copy.
   *
   * @throws Error when a text to be changed does not stand in its file exactly once
   */
  async change(changes: readonly SourceChange[]): Promise<void> {
    for (const file of new Set(changes.map((change) => change.file))) {
      const path = join(this.root, file);
      const own = changes.filter((change) => change.file === file);
      await writeFile(path, toChanged(await readFile(path, 'utf8'), own));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
