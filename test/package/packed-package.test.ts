import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is promised under each name; see the table in the README of what one may import. */
const promised = {
  leasehold: ['LockClient', 'Lease', 'LockHeldError', 'LockLostError', 'StaleTokenError', 'UsageError'],
  'leasehold/fence': [
    'guardPut',
    'guardUpdate',
    'guardDelete',
    'guardTransaction',
    'guardedPutObject',
    'sqlFence',
  ],
  'leasehold/scan': ['planScan', 'workSeat', 'verifyScan', 'inventory', 'eachObject'],
  'leasehold/lambda': ['createPlanHandler', 'createWorkHandler', 'createVerifyHandler'],
  'leasehold/cdk': ['LeaseTable', 'SliceScan'],
  'leasehold/local': ['startDynamo', 'startS3', 'createLeaseTable', 'sweepExpired', 'meteredClient'],
};

describe('the package as it would be published', () => {
  let folder: string;
  let installed: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leasehold-packed-'));
    // dist/ is there since `npm ci`; building it again would take longer than all of this.
    const { stdout } = await run(
      'npm',
      ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
      {
        cwd: root,
      },
    );
    const [{ filename }] = JSON.parse(stdout);
    await run('tar', ['-xzf', join(folder, filename), '-C', folder]);
    // As npm would lay it out: the package beside its dependencies.
    installed = join(folder, 'app', 'node_modules', 'leasehold');
    await mkdir(join(folder, 'app', 'node_modules'), { recursive: true });
    await cp(join(folder, 'package'), installed, { recursive: true });
    for (const entry of await readdir(join(root, 'node_modules'))) {
      if (entry === 'leasehold' || entry.startsWith('.')) continue;
      await symlink(join(root, 'node_modules', entry), join(folder, 'app', 'node_modules', entry));
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(promised))('%s can be imported and has what is promised', async (name, names) => {
    const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(name)}))))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: join(folder, 'app'),
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
    expect(files.filter((file) => /local-run|bin\/start|\.test\./.test(file))).toEqual([]);
    const { dependencies, optionalDependencies } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    );
    expect(Object.keys({ ...dependencies, ...optionalDependencies }).join()).not.toMatch(/dynoxide/);
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
      { cwd: join(folder, 'app') },
    );
    expect(JSON.parse(stdout)).toEqual([]);
  });
});
