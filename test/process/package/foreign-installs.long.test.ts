import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignProjects } from '../../support/package/installed-package.js';
import { type Packed, packedPackage } from '../../support/package/packed-package.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const execute = promisify(execFile);
const clients = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];
let packed: Packed;
let home: string;

beforeAll(async () => {
  if (obstacle !== undefined) return;
  packed = await packedPackage();
  home = await mkdtemp(join(tmpdir(), 'leasehold-installs-'));
}, 600_000);
afterAll(() => home && rm(home, { recursive: true, force: true }));

/** These download packages. */
const slow = { timeout: 900_000 };

/** Why nothing can be installed here. */
async function findObstacle(): Promise<string | undefined> {
  try {
    await execute('npm', ['view', 'constructs', 'version', '--fetch-retries=0'], { cwd: tmpdir() });
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n', 1)[0];
  }
}

const obstacle = await findObstacle();
const because = obstacle === undefined ? '' : `: no packages to be had here (${obstacle})`;

/** A project of its own. */
async function project(name: string): Promise<string> {
  const folder = join(home, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, private: true, license: 'MIT' }));
  return folder;
}

/** Runs a command. @returns all that it says */
async function says(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await execute(command, args, { cwd, maxBuffer: 50_000_000 });
  return `${stdout}\n${stderr}`;
}

const ofOurs = (said: string) =>
  said.split('\n').filter((line) => /warn/i.test(line) && /leasehold/.test(line));

/** The packages of a folder, and the bytes of a package. */
async function packagesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'node_modules'));
  const inside = names
    .filter((name) => !name.startsWith('.'))
    .map(async (name) =>
      name.startsWith('@')
        ? (await readdir(join(folder, 'node_modules', name))).map((one) => `${name}/${one}`)
        : [name],
    );
  return (await Promise.all(inside)).flat();
}

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((one) => one.isFile()).map((one) => stat(join(one.parentPath, one.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}

describe.skipIf(obstacle)(`installed from the tarball${because}`, slow, () => {
  it('npm brings at most two packages and 5 MB besides the clients of the SDK, and warns of nothing', async () => {
    const [mine, bare] = [await project('npm'), await project('npm-bare')];
    const options = ['install', '--no-audit', '--no-fund'];
    const said = await says(mine, 'npm', ...options, packed.tarball);
    await says(bare, 'npm', ...options, ...clients);
    expect(ofOurs(said)).toEqual([]);
    const without = new Set(await packagesOf(bare));
    const further = (await packagesOf(mine)).filter((name) => !without.has(name));
    const sizes = await Promise.all(further.map((name) => bytesOf(join(mine, 'node_modules', name))));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`${further.join(', ')}: ${(bytes / 1e6).toFixed(1)} MB, the tarball ${packed.bytes} bytes`);
    expect(further.length).toBeLessThanOrEqual(3);
    expect(bytes).toBeLessThan(5_000_000);
    const [onDisk] = (await says(mine, 'du', '-sk', 'node_modules/leasehold')).split('\t');
    console.log(`${onDisk} KB on this disk`);
    expect(Number(onDisk)).toBeLessThan(5 * 1024);
    expect(await says(mine, 'npx', 'leasehold', '--help')).toContain('Usage: leasehold');
  });

  it.each([
    ['pnpm', 'pnpm@10.12.1'],
    ['yarn', 'yarn@1.22.22'],
    ['yarn of today, without its own way of finding packages', '@yarnpkg/cli-dist@4.9.2'],
  ])('%s warns of nothing of ours', async (name, manager) => {
    const folder = await project(name.replaceAll(/\W+/g, '-'));
    // Yarn takes a folder without a lock file for a part of the project around it, and links in a way of its own.
    await writeFile(join(folder, 'yarn.lock'), '');
    await writeFile(join(folder, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableTelemetry: false\n');
    const [program] = manager.startsWith('@yarnpkg') ? ['yarn'] : manager.split('@');
    const said = await says(
      folder,
      'npx',
      ...['--yes', '--package', manager, program!, 'add'],
      ...[`leasehold@file:${packed.tarball}`, ...clients],
    );
    expect(ofOurs(said)).toEqual([]);
    const script = "console.log(typeof require('leasehold').LockClient)";
    expect(await says(folder, process.execPath, '-e', script)).toContain('function');
  });
});

describe.skipIf(obstacle)(`jest${because}`, slow, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await project('jest');
    await says(
      folder,
      'npm',
      ...['install', '--no-audit', '--no-fund', packed.tarball, ...clients, 'dynalite@4.0.0'],
      ...['jest@30.5.2', 'ts-jest@29.4.15', '@swc/jest@0.2.39', '@swc/core@1.16.22', '@types/jest@30.0.0'],
      ...['typescript@5.9.3', '@types/node@20.19.43', 'constructs@10.8.1'],
    );
    await symlink(join(root, 'node_modules/aws-cdk-lib'), join(folder, 'node_modules/aws-cdk-lib'));
    await cp(join(foreignProjects, 'use-the-package.ts'), join(folder, 'use-the-package.ts'));
    await cp(join(foreignProjects, 'lock.spec.ts'), join(folder, 'lock.spec.ts'));
    const compilerOptions = { target: 'ES2022', module: 'CommonJS', strict: true, types: ['jest', 'node'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  }, 600_000);

  it.each([
    ["ts-jest's default", { preset: 'ts-jest' }],
    ['@swc/jest, as in a new CDK app', { transform: { '^.+\\.tsx?$': '@swc/jest' } }],
  ])('%s', async (_, options) => {
    const config = { testEnvironment: 'node', testMatch: ['**/*.spec.ts'], ...options };
    await writeFile(join(folder, 'jest.config.json'), JSON.stringify(config));
    const said = await says(folder, 'npx', 'jest', '--config', 'jest.config.json', '--no-cache');
    expect(said).toContain('2 passed');
  });
});
