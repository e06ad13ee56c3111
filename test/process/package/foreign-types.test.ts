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
import { bySize } from '../../support/size.js';

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

/** All of the SDK's declarations are checked, too: the short form looks in the usual way. */
const modes = bySize<readonly (keyof typeof typeModes)[]>({
  short: ['nodenext'],
  long: Object.keys(typeModes) as (keyof typeof typeModes)[],
});
const alone = bySize({
  short: subPaths.filter((one) => importName(one) === 'leasehold/lambda'),
  long: subPaths,
});

const slow = { timeout: 240_000 };

describe('types, with those of packages checked', slow, () => {
  // A mistake beside them: the check would see one.
  it.each(modes)('are found and right by %s', async (mode) => {
    const wrong = join(place.app, 'wrong.mts');
    await writeFile(wrong, "import { LockClient } from 'leasehold';\nnew LockClient({ table: 1 });\n");
    expect(typeErrors([...files, wrong], mode, place.app)).toEqual([
      expect.stringContaining("wrong.mts: Type 'number' is not assignable"),
    ]);
  });
});

describe('types of a sub-path, with nothing installed that it does not need', slow, () => {
  it.each(alone.map((one) => [importName(one), one.needs] as const))('%s', async (name, needs) => {
    // The SDK's clients for the table come along whenever the package is installed.
    const always = [
      '@types/node',
      '@aws-sdk/client-dynamodb',
      '@aws-sdk/lib-dynamodb',
      '@aws-sdk/util-dynamodb',
    ];
    await using place = await installedPackage([...new Set([...always, ...needs])]);
    const file = join(place.app, 'all.mts');
    await writeFile(file, `export * from '${name}';\n`);
    expect(typeErrors([file], 'nodenext', place.app)).toEqual([]);
  });
});
