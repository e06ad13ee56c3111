import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importName, subPaths } from '../../../bin/build/package/sub-paths.js';
import { exitCodes } from '../../../bin/cli/exit-codes.js';
import {
  foreignProjects,
  type InstalledPackage,
  installedPackage,
} from '../../support/package/installed-package.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const execute = promisify(execFile);
let place: InstalledPackage;

/** All that the package may need beside it. */
const beside = [
  '@aws-sdk',
  '@aws-lambda-powertools',
  'aws-cdk-lib',
  'constructs',
  'dynalite',
  'testcontainers',
  'vitest',
];

beforeAll(async () => {
  place = await installedPackage(beside);
  for (const file of ['use-the-package.ts', 'lock.test.ts', 'run.mjs']) {
    await copyFile(join(foreignProjects, file), join(place.app, file));
  }
}, 300_000);
afterAll(() => place?.[Symbol.asyncDispose]());

const quiet = { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };

/** Runs Node in the app. @returns what it says */
async function node(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await execute(process.execPath, args, { cwd: place.app, env: quiet });
  expect(stderr).toBe('');
  return stdout.trim();
}

const names = subPaths.map(importName);
const withoutRequireOfModules = '--no-experimental-require-module';

describe('import and require', { timeout: 120_000 }, () => {
  it.each([[], [withoutRequireOfModules]])(
    'Node gets the same objects by both, with %j',
    async (...flags) => {
      const script = `
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      for (const name of ${JSON.stringify(names)}) {
        const imported = await import(name);
        const required = require(name);
        for (const key of Object.keys(required)) {
          if (imported[key] !== required[key]) console.log(name, key, 'differs');
        }
        if (Object.keys(required).length === 0) console.log(name, 'is empty');
      }`;
      await writeFile(join(place.app, 'both.mjs'), script);
      expect(await node(...flags, 'both.mjs')).toBe('');
    },
  );

  it.each([
    ['cjs', [withoutRequireOfModules]],
    ['mjs', []],
  ] as const)('a program of kind %s locks and guards', async (kind, flags) => {
    const path = join(place.app, `use.${kind}`);
    await transformed(path, kind === 'cjs' ? 'cjs' : 'esm');
    expect(await node(...flags, 'run.mjs', path)).toBe('true true');
  });
});

/** The program's source as plain JavaScript. */
async function transformed(path: string, format: 'cjs' | 'esm'): Promise<void> {
  const { readFile } = await import('node:fs/promises');
  const source = await readFile(join(place.app, 'use-the-package.ts'), 'utf8');
  await writeFile(
    path,
    (await transform(source, { loader: 'ts', format, platform: 'node', target: 'node20' })).code,
  );
}

describe('bundled by esbuild', { timeout: 120_000 }, () => {
  it.each(['cjs', 'esm'] as const)('as %s, without a warning, it locks and guards', async (format) => {
    const outfile = join(place.app, `bundled.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    const { warnings, metafile } = await build({
      entryPoints: [join(place.app, 'use-the-package.ts')],
      absWorkingDir: place.app,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format,
      outfile,
      // Whoever has testcontainers knows that its native parts can't be bundled.
      external: ['@aws-sdk/*', 'testcontainers'],
      metafile: true,
      logLevel: 'silent',
    });
    expect(warnings).toEqual([]);
    // The ES modules, of which it takes what is used.
    const own = Object.keys(metafile.inputs).filter((path) => path.includes('leasehold/dist/'));
    expect(own.filter((path) => !path.includes('dist/esm/'))).toEqual([]);
    expect(await node('run.mjs', outfile)).toBe('true true');
  });

  it.each(['cjs', 'esm'] as const)('D36: an app of constructs as %s finds the functions', async (format) => {
    const outfile = join(place.app, `stack.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    await build({
      stdin: {
        contents: `
          import { App, Stack } from 'aws-cdk-lib';
          import { LockService } from 'leasehold/cdk';
          const app = new App({ outdir: 'out-${format}', analyticsReporting: false });
          new LockService(new Stack(app, 'Bundled'), 'Locks');
          app.synth();`,
        resolveDir: place.app,
      },
      bundle: true,
      platform: 'node',
      target: 'node20',
      format,
      outfile,
      external: ['aws-cdk-lib', 'constructs'],
      logLevel: 'silent',
    });
    expect(await node(outfile)).toBe('');
    // Moved to where no package is: what is missing, and what to do, is told.
    const elsewhere = join(place.app, '..', `elsewhere-${format}`);
    await mkdir(join(elsewhere, 'node_modules'), { recursive: true });
    for (const name of ['aws-cdk-lib', 'constructs']) {
      await symlink(join(root, 'node_modules', name), join(elsewhere, 'node_modules', name));
    }
    const moved = join(elsewhere, `stack.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    await copyFile(outfile, moved);
    const failed = await execute(process.execPath, [moved], { cwd: elsewhere, env: quiet }).catch(
      (error) => error,
    );
    expect(failed.stderr).toContain('--external:leasehold');
  });
});

it('vitest tests a program that locks', { timeout: 120_000 }, async () => {
  await writeFile(
    join(place.app, 'vitest.config.mjs'),
    'export default { test: { include: ["*.test.ts"] } };\n',
  );
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await execute(process.execPath, [vitest, 'run'], {
    cwd: place.app,
    env: { ...quiet, NO_COLOR: '1', VITEST: undefined },
  });
  expect(stdout).toContain('1 passed');
});

describe('what is not installed', { timeout: 120_000 }, () => {
  let bare: InstalledPackage;
  beforeAll(async () => {
    const clients = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb'];
    bare = await installedPackage(clients);
  });
  afterAll(() => bare?.[Symbol.asyncDispose]());

  it.each([
    ['leasehold/fence/s3', '@aws-sdk/client-s3'],
    ['leasehold/scan', '@aws-sdk/client-s3'],
    ['leasehold/cdk', 'aws-cdk-lib constructs'],
  ])('%s names the line to type: npm install %s', async (name, line) => {
    const message = `${name} needs ${line.replaceAll(' ', ' and ')}; npm install ${line}`;
    for (const flags of [
      ['-e', `require('${name}')`],
      ['--input-type=module', '-e', `import '${name}'`],
    ]) {
      const ended = await execute(process.execPath, flags, { cwd: bare.app, env: quiet }).catch(
        (error) => error,
      );
      expect(ended.stderr).toContain(message);
    }
  });

  it('a program that can do without goes on: nothing ends it later', async () => {
    const script =
      "await import('leasehold/scan').catch(() => {}); setTimeout(() => console.log('goes on'), 20);";
    const flags = ['--input-type=module', '-e', script];
    const { stdout } = await execute(process.execPath, flags, { cwd: bare.app, env: quiet });
    expect(stdout).toBe('goes on\n');
  });

  it.each([
    ['@aws-sdk/client-s3', ['s3://bucket/prefix/']],
    ['@aws-sdk/client-sfn', ['--state-machine', 'arn:aws:states:eu-west-1:111122223333:stateMachine:Scan']],
  ])('leasehold scan names the line to type: npm install %s', async (name, args) => {
    const { bin } = JSON.parse(await readFile(join(bare.installed, 'package.json'), 'utf8'));
    const flags = [join(bare.installed, bin.leasehold), 'scan', ...args, '--region', 'eu-west-1'];
    const ended = await execute(process.execPath, flags, { cwd: bare.app, env: quiet }).catch(
      (error) => error,
    );
    expect(ended).toMatchObject({
      code: exitCodes.setUp,
      stdout: '',
      stderr: `leasehold: This needs ${name}, which is not installed: npm install ${name}\n`,
    });
  });

  it('without an engine, leasehold/local names one to install', async () => {
    const script =
      "require('leasehold/local').startDynamo({ allowDocker: false }).catch((e) => console.log(e.message))";
    const { stdout } = await execute(process.execPath, ['-e', script], { cwd: bare.app, env: quiet });
    expect(stdout).toContain('npm install --save-dev dynalite');
  });
});
