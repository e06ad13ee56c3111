import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InstalledPackage, installedPackage } from '../../support/package/installed-package.js';

const run = promisify(execFile);

/** What is promised under each name; see the table in the README of what one may import. */
const promised = {
  leasehold: ['LockClient', 'Lease', 'LockHeldError', 'LockLostError', 'StaleTokenError', 'UsageError'],
  'leasehold/fence': ['guardPut', 'guardUpdate', 'guardDelete', 'guardTransaction', 'sqlFence'],
  'leasehold/fence/s3': ['guardedPutObject'],
  'leasehold/scan': [
    'planScan',
    'workSeat',
    'verifyScan',
    'inventory',
    'eachObject',
    'createPlanHandler',
    'createWorkHandler',
    'createVerifyHandler',
    'createScanHandlers',
  ],
  'leasehold/lambda': ['withLockedHandler', 'createLockServiceHandler', 'createSweepHandler', 'observed'],
  'leasehold/cdk': [
    'LeaseTable',
    'LockService',
    'LockedSection',
    'SliceScan',
    'ScanProcessor',
    'LeaseholdStack',
  ],
  'leasehold/local': ['startDynamo', 'startS3', 'createLeaseTable', 'sweepExpired', 'meteredClient'],
};

describe('the package as it would be published', () => {
  let app: string;
  let installed: string;
  let place: InstalledPackage;

  beforeAll(async () => {
    place = await installedPackage();
    ({ app, installed } = place);
  }, 300_000);
  afterAll(() => place?.[Symbol.asyncDispose]());

  it.each(Object.entries(promised))('%s can be imported and has what is promised', async (name, names) => {
    const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(name)}))))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: app,
    });
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(names));
  });

  it('the command runs', async () => {
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const { stdout } = await run(process.execPath, [join(installed, bin.leasehold), '--help']);
    expect(stdout).toMatch(/Usage: leasehold/);
  });

  it('neither the demonstration nor its tools are in it, and no test engine is a dependency of one platform', async () => {
    const files = await readdir(join(installed, 'dist'), { recursive: true });
    expect(files.filter((file) => /bin\/start|\.test\./.test(file))).toEqual([]);
    const { dependencies, optionalDependencies } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    );
    expect(Object.keys({ ...dependencies, ...optionalDependencies }).join()).not.toMatch(/dynoxide/);
  });

  it('bundlers are told to leave alone what is imported by a name that they are not to see', async () => {
    const esm = join(installed, 'dist/esm');
    const texts = await Promise.all((await readdir(esm)).map((file) => readFile(join(esm, file), 'utf8')));
    const byName = texts.flatMap((text) => text.match(/\bimport\((?!\s*["'`])[^)]*\)/g) ?? []);
    expect(byName.length).toBeGreaterThan(0);
    for (const one of byName) expect(one).toMatch(/webpackIgnore: true[\s\S]*@vite-ignore/);
  });

  it('importing the client loads neither the constructs nor S3', async () => {
    const { stdout } = await run(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `await import('leasehold'); const { createRequire } = await import('node:module');
         const loaded = Object.keys(createRequire(process.cwd() + '/x.js').cache ?? {});
         console.log(JSON.stringify(loaded.filter((file) => /aws-cdk-lib|client-s3/.test(file))));`,
      ],
      { cwd: app },
    );
    expect(JSON.parse(stdout)).toEqual([]);
  });
});
