import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPackage } from '../../../bin/build/package/build-package.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = join(root, '.leasehold/packed');
const stage = join(home, 'stage');

/** What npm packs besides what the manifest names, and what that names of it. */
const pages = ['README.md', 'LICENSE', 'CHANGELOG.md'];

/** What the package is made of. */
const folders = ['lib', 'lambda', 'bin', 'docs'];
const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md'];

/** What `npm pack` makes of these very sources. */
export interface Packed {
  /** The tarball's path. */
  readonly tarball: string;
  /** The folder of the declarations that are in it, a file for each sub-path. */
  readonly types: string;
  /** Its size, and the size of what is in it, in bytes. */
  readonly bytes: number;
  readonly unpackedBytes: number;
  /** What it takes on a disk, where each file and each folder takes whole blocks of 4 KiB, as `du` tells. */
  readonly diskBytes: number;
  readonly files: readonly string[];
}

const blockBytes = 4096;

function toDiskBytes(packed: readonly { readonly path: string; readonly size: number }[]): number {
  const folders = new Set(packed.flatMap(({ path }) => parentsOf(path)));
  const inBlocks = packed.reduce((sum, { size }) => sum + Math.ceil(size / blockBytes) * blockBytes, 0);
  return inBlocks + folders.size * blockBytes;
}

/** The folders that a file lies in, the package's own among them. */
function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['.', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

/**
 * Builds and packs the package unless that was done already; of several test files at once, one does it. Beside the
 * repository's own `dist`, which other tests use meanwhile; the functions' bundles are those that are there.
 */
export async function packedPackage(): Promise<Packed> {
  const digest = await digestOfSources();
  const about = join(home, 'about.json');
  return alone(async () => {
    const made = existsSync(about) ? JSON.parse(await readFile(about, 'utf8')) : undefined;
    if (made?.digest === digest && existsSync(made.packed.tarball) && existsSync(made.packed.types))
      return made.packed;
    await stagePackage();
    const packing = ['pack', '--silent', '--json', '--ignore-scripts', '--pack-destination', home];
    const { stdout } = await run('npm', packing, { cwd: stage });
    const [one] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    const packed: Packed = {
      tarball: join(home, one.filename),
      types: join(stage, 'dist/types'),
      bytes: one.size,
      unpackedBytes: one.unpackedSize,
      diskBytes: toDiskBytes(one.files),
      files: one.files.map(({ path }: { path: string }) => path),
    };
    await writeFile(about, JSON.stringify({ digest, packed }));
    return packed;
  });
}

/** Lays out all that npm packs, as `npm run build` leaves it. */
async function stagePackage(): Promise<void> {
  await rm(stage, { recursive: true, force: true });
  await mkdir(join(stage, 'dist'), { recursive: true });
  for (const name of [...pages, 'package.json', 'docs', 'dist/lambda']) {
    await cp(join(root, name), join(stage, name), { recursive: true });
  }
  // The compiler checks the sources in another step.
  await buildPackage(join(stage, 'dist'), { checks: false });
}

/** Does something while no other process does. Whoever died at it is not waited for. */
async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  await mkdir(home, { recursive: true });
  const lock = join(home, 'lock');
  for (;;) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch {
      const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (pid && !isAlive(pid)) await rm(lock, { force: true });
      else await sleep(200);
    }
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const inside = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const paths = inside.flat().flatMap((one) => (one.isFile() ? [join(one.parentPath, one.name)] : []));
  for (const path of [...paths.sort(), ...files.map((file) => join(root, file))]) {
    hash.update(path.slice(root.length)).update(await readFile(path));
  }
  return hash.digest('hex');
}
