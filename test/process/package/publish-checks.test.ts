import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InstalledPackage, installedPackage } from '../../support/package/installed-package.js';
import { bySize } from '../../support/size.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let place: InstalledPackage;

beforeAll(async () => {
  place = await installedPackage([]);
}, 300_000);
afterAll(() => place?.[Symbol.asyncDispose]());

/** A tool of this repository, on the tarball. @returns what it says, and its exit code */
async function tool(path: string, ...args: readonly string[]): Promise<{ said: string; code: number }> {
  const command = [`${root}/node_modules/${path}`, ...args];
  const ended = await promisify(execFile)(process.execPath, command, { cwd: root }).catch((error) => error);
  return { said: `${ended.stdout}${ended.stderr}`, code: ended.code ?? 0 };
}

it('publint finds nothing, not even something to suggest', async () => {
  const { said, code } = await tool(
    'publint/src/cli.js',
    'run',
    place.tarball,
    '--strict',
    '--level',
    'suggestion',
  );
  expect(said).toContain('All good!');
  expect(code).toBe(0);
});

/** Of all sub-paths the largest and one that stands in `typesVersions`, too. */
const some = bySize({ short: ['--entrypoints', '.', 'cdk'], long: [] });

it('attw finds types for every sub-path, in every way of looking for them', {
  timeout: 240_000,
}, async () => {
  const { said, code } = await tool('@arethetypeswrong/cli/dist/index.js', place.tarball, ...some);
  expect(said).toContain('"leasehold/cdk"');
  expect(code).toBe(0);
});

it('npm builds the package before it packs it', async () => {
  const { scripts } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
  expect(scripts).toMatchObject({ prepack: 'npm run --silent build', build: 'tsx bin/build/build.ts' });
});

it('the tarball is small, and holds what it should', () => {
  // Half of it is the bundled functions, with their SDK.
  expect(place.bytes).toBeLessThan(1_500_000);
  expect(place.unpackedBytes).toBeLessThan(5_000_000);
  expect(place.diskBytes).toBeLessThan(5 * 1024 * 1024);
  expect(place.files).toEqual(
    expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json', 'docs/protocol.md']),
  );
  const kept = ['dist/', 'docs/'];
  const others = place.files.filter(
    (file) => file.includes('/') && !kept.some((folder) => file.startsWith(folder)),
  );
  expect(others).toEqual([]);
  const unwanted = /(^|\/)(test|simulation|mutants|chaos|bench|start|app)\/|\.test\.|\.ts\.map$/;
  expect(place.files.filter((file) => unwanted.test(file))).toEqual([]);
});
