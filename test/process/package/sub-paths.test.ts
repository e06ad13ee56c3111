import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subPathBundle, subPaths } from '../../support/package/sub-path-bundle.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What has no business in a Lambda, whichever part of the package it uses. */
const notForLambda = ['aws-cdk-lib', 'constructs', 'testcontainers', 'dynalite', 'esbuild', 'commander'];
const powertools = ['logger', 'metrics', 'tracer'].map((name) => `@aws-lambda-powertools/${name}`);

/** What a function needs may be bundled whole; constructs and engines run where their packages are. */
const runsInLambda = [
  'leasehold',
  'leasehold/fence',
  'leasehold/fence/s3',
  'leasehold/scan',
  'leasehold/lambda',
];

let folder: string;
let made = 0;
const bundles = new Map<string, ReturnType<typeof subPathBundle>>();

/** Each bundle is made once. */
function bundleOf(contents: string, packages: 'bundle' | 'external' = 'bundle') {
  const key = `${packages} ${contents}`;
  const bundle = bundles.get(key) ?? subPathBundle(join(folder, String(++made)), contents, packages);
  bundles.set(key, bundle);
  return bundle;
}
const everything = (name: string) => `export * from '${name}';`;

beforeAll(async () => {
  // Inside the repository, so that packages that stay outside of a bundle are found.
  await mkdir(join(root, '.leasehold'), { recursive: true });
  folder = await mkdtemp(join(root, '.leasehold', 'bundles-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('each sub-path in a bundle', () => {
  it.each(Object.keys(subPaths))('%s loads, and has what it has unbundled', async (name) => {
    const { path } = await bundleOf(everything(name), runsInLambda.includes(name) ? 'bundle' : 'external');
    const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(path)}))))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
    expect(JSON.parse(stdout)).toEqual(Object.keys(await import(subPaths[name]!)).sort());
  });

  it.each(runsInLambda)('%s brings nothing that has no business in a Lambda', async (name) => {
    const { packages, later } = await bundleOf(everything(name));
    expect(notForLambda.filter((one) => packages.has(one) || later.has(one))).toEqual([]);
  });

  it('the check would see it: the constructs do bring aws-cdk-lib', async () => {
    const { packages } = await bundleOf(everything('leasehold/cdk'), 'external');
    expect(packages).toContain('aws-cdk-lib');
  });
});

describe('the bundle of a program that only locks', () => {
  it('has neither schemas nor Powertools, now or later', async () => {
    const { packages, later } = await bundleOf("export { LockClient } from 'leasehold';");
    expect(packages).toContain('@aws-sdk/client-dynamodb');
    expect(['valibot', ...powertools].filter((one) => packages.has(one) || later.has(one))).toEqual([]);
  });

  it('loads the clients of Lambda, S3 and Step Functions only when they are used', async () => {
    const { packages } = await bundleOf("export { LockClient } from 'leasehold';");
    expect(
      ['lambda', 's3', 'sfn'].map((one) => `@aws-sdk/client-${one}`).filter((one) => packages.has(one)),
    ).toEqual([]);
  });

  it('has nothing of the scan', async () => {
    const { sources } = await bundleOf("export { LockClient } from 'leasehold';");
    expect(sources.filter((source) => /lib\/(scan|lambda|fence|local|cdk)\//.test(source))).toEqual([]);
  });
});

describe('who guards one store needs the client of that store only', () => {
  const sdks = ['client-s3', 'client-dynamodb', 'client-lambda', 'client-sfn', 'lib-dynamodb'];
  it.each([
    ['leasehold/fence', ['lib-dynamodb']],
    ['leasehold/fence/s3', ['client-s3']],
    ['leasehold/lambda', ['client-dynamodb', 'client-sfn']],
  ])('%s: %j', async (name, needed) => {
    const { packages, later } = await bundleOf(everything(name), 'external');
    const found = sdks.filter((sdk) => packages.has(`@aws-sdk/${sdk}`) || later.has(`@aws-sdk/${sdk}`));
    // What is loaded later stays outside of the bundle, and is not counted as part of it.
    expect(needed).toEqual(expect.arrayContaining(found));
  });
});

describe('observed without Powertools', () => {
  it('is bundled all the same, and then names the line to type', async () => {
    const away = await mkdtemp(join(tmpdir(), 'leasehold-bare-'));
    const contents = "export { observed } from 'leasehold/lambda';";
    const { path } = await subPathBundle(away, contents, 'bundle', powertools);
    const script = `const { observed } = await import(${JSON.stringify(path)});
      await observed(async () => 'done')({}, {}).catch(({ name, message }) => console.log(name, message));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: away });
    await rm(away, { recursive: true, force: true });
    expect(stdout).toMatch(
      /^UsageError observed: needs @aws-lambda-powertools\/\w+, which is not installed: npm install @aws-lambda-powertools\/logger /,
    );
  });
});

it('no deployed function has the constructs or test engines in it', async () => {
  const handlers = (await readdir(join(root, 'lambda'))).filter((file) => file.endsWith('.ts'));
  expect(handlers.length).toBeGreaterThan(4);
  const all = handlers.map(
    (handler, n) => `export * as handler${n} from '${join(root, 'lambda', handler)}';`,
  );
  const { packages, later } = await bundleOf(all.join('\n'));
  expect(packages).toContain('leasehold');
  expect(notForLambda.filter((one) => packages.has(one) || later.has(one))).toEqual([]);
});
