import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importName, subPaths } from '../../../bin/build/package/sub-paths.js';
import {
  foreignProjects,
  type InstalledPackage,
  installedPackage,
} from '../../support/package/installed-package.js';
import { typeErrors, typeModes } from '../../support/package/type-errors.js';

let place: InstalledPackage;
let files: string[];

beforeAll(async () => {
  place = await installedPackage([
    '@aws-sdk/client-dynamodb',
    '@aws-sdk/client-s3',
    '@aws-sdk/lib-dynamodb',
    '@aws-sdk/util-dynamodb',
    '@types/node',
  ]);
  // Each as a module of either kind, where the way of looking tells them apart.
  files = ['use-the-package', 'other-sub-paths'].flatMap((name) =>
    ['cts', 'mts'].map((extension) => join(place.app, `${name}.${extension}`)),
  );
  for (const file of files) {
    const [, name] = /([^/]+)\.[cm]ts$/.exec(file)!;
    await copyFile(join(foreignProjects, `${name}.ts`), file);
  }
}, 300_000);
afterAll(() => place?.[Symbol.asyncDispose]());

/** All of the SDK's declarations are checked, too. */
const slow = { timeout: 240_000 };

describe('types, with those of packages checked', slow, () => {
  it.each(Object.keys(typeModes) as (keyof typeof typeModes)[])('are found and right by %s', (mode) => {
    expect(typeErrors(files, mode, place.app)).toEqual([]);
  });

  it('the check would see it', async () => {
    const wrong = join(place.app, 'wrong.mts');
    await writeFile(wrong, "import { LockClient } from 'leasehold';\nnew LockClient({ table: 1 });\n");
    expect(typeErrors([wrong], 'nodenext', place.app).join()).toContain("'number' is not assignable");
  });
});

describe('types of a sub-path, with nothing installed that it does not need', slow, () => {
  it.each(subPaths.map((one) => [importName(one), one.needs] as const))('%s', async (name, needs) => {
    // The SDK's clients for the table come along whenever the package is installed.
    const always = [
      '@types/node',
      '@aws-sdk/client-dynamodb',
      '@aws-sdk/lib-dynamodb',
      '@aws-sdk/util-dynamodb',
    ];
    await using alone = await installedPackage([...new Set([...always, ...needs])]);
    const file = join(alone.app, 'all.mts');
    await writeFile(file, `export * from '${name}';\n`);
    expect(typeErrors([file], 'nodenext', alone.app)).toEqual([]);
  });
});
