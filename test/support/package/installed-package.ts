import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Packed, packedPackage } from './packed-package.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Sources of projects that use the package. */
export const foreignProjects = fileURLToPath(new URL('foreign-projects', import.meta.url));

/** The packed package in an app of its own, outside of this repository. */
export interface InstalledPackage extends Packed, AsyncDisposable {
  /** The app's folder; its `node_modules` holds the package, unpacked, and links to what goes with it. */
  readonly app: string;
  /** The package's folder. */
  readonly installed: string;
}

/**
 * Packs the package as it would be published and lays it out as npm would, without a registry.
 *
 * @param beside which packages of this repository go with it. @default all
 */
export async function installedPackage(beside?: readonly string[]): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-packed-'));
  const packed = await packedPackage();
  await run('tar', ['-xzf', packed.tarball, '-C', folder]);
  const app = join(folder, 'app');
  const installed = join(app, 'node_modules', 'leasehold');
  await mkdir(join(app, 'node_modules'), { recursive: true });
  await rename(join(folder, 'package'), installed);
  for (const name of beside ?? (await everything())) {
    const place = join(app, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(root, 'node_modules', name), place);
  }
  return {
    app,
    installed,
    ...packed,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The package's own dependencies, and the peers of its constructs: what `npm install leasehold aws-cdk-lib` brings. */
export async function dependenciesOfConstructs(): Promise<readonly string[]> {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return [...Object.keys(dependencies), 'aws-cdk-lib', 'constructs'];
}

async function everything(): Promise<readonly string[]> {
  const entries = await readdir(join(root, 'node_modules'));
  return entries.filter((entry) => entry !== 'leasehold' && !entry.startsWith('.'));
}
