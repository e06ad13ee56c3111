import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dependenciesOfConstructs,
  type InstalledPackage,
  installedPackage,
} from '../../support/package/installed-package.js';
import { bySize } from '../../support/size.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
let place: InstalledPackage;

beforeAll(async () => {
  place = await installedPackage(await dependenciesOfConstructs());
  await cp(join(root, 'test/support/package/foreign-app'), place.app, { recursive: true });
  await mkdir(join(place.app, 'node_modules/@types'), { recursive: true });
  await symlink(join(root, 'node_modules/@types/node'), join(place.app, 'node_modules/@types/node'));
}, 300_000);
afterAll(() => place?.[Symbol.asyncDispose]());

/** Nothing of this repository's is on the path; a bundler or Docker would not be found. */
const bare = { PATH: '/nowhere', HOME: '/nowhere', CDK_VALIDATION: 'false' };

/** A compiler and a synthesis, each from nothing, on a machine that may do other things. */
const slow = { timeout: 240_000 };

describe("somebody else's app with the packed package", slow, () => {
  // In the short form the code blocks of the pages are what the compiler checks against these types.
  it('is compiled, in the long form checked against the packed types', async () => {
    const command = [join(root, 'node_modules/typescript/bin/tsc'), '-p', place.app];
    const unchecked = bySize({ short: ['--noCheck', '--noResolve'], long: [] });
    const said = await run(process.execPath, [...command, ...unchecked]).catch(({ stdout }) => ({ stdout }));
    expect(said.stdout).toBe('');
  });

  it('has no esbuild', async () => {
    const script = "await import('esbuild')";
    await expect(
      run(process.execPath, ['--input-type=module', '-e', script], { cwd: place.app }),
    ).rejects.toThrow(/Cannot find package 'esbuild'/);
  });

  it('synthesizes all constructs, with neither esbuild nor Docker', async () => {
    const output = join(place.app, 'assembly');
    const { stdout, stderr } = await run(process.execPath, ['built/app.js', output], {
      cwd: place.app,
      env: bare,
    });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    const { Resources } = JSON.parse(await readFile(join(output, 'Foreign.template.json'), 'utf8'));
    const types = Object.values(Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
    const count = (type: string) => types.filter((one) => one === type).length;
    expect(count('AWS::StepFunctions::StateMachine')).toBe(3);
    expect(count('AWS::Scheduler::Schedule')).toBe(1);
    // Worker, lock service, its function for ends of executions, and three of each scan.
    expect(count('AWS::Lambda::Function')).toBe(9);
    const assets = (await readdir(output)).filter((file) => file.startsWith('asset.'));
    const roots = await Promise.all(assets.map((asset) => readdir(join(output, asset))));
    // One for all of the package's functions, and the app's own: its worker and its processor.
    expect(roots.filter((files) => files.includes('lock-service'))).toHaveLength(1);
    expect(roots.filter((files) => files.includes('index.mjs'))).toHaveLength(roots.length - 1);
  });

  it('is told what is missing when it has a processor bundled', async () => {
    const script = `import { ScanProcessor } from 'leasehold/cdk'; ScanProcessor.fromEntry('app.ts');`;
    await expect(
      run(process.execPath, ['--input-type=module', '-e', script], { cwd: place.app, env: bare }),
    ).rejects.toThrow(/needs esbuild; npm install --save-dev esbuild, or build it yourself/);
  });
});
