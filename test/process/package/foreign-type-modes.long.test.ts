import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

describe('types, with those of packages checked', () => {
  // A mistake beside them: the check would see one.
  it.each(Object.keys(typeModes) as (keyof typeof typeModes)[])('are found and right by %s', async (mode) => {
    const wrong = join(place.app, 'wrong.mts');
    await writeFile(wrong, "import { LockClient } from 'leasehold';\nnew LockClient({ table: 1 });\n");
    expect(typeErrors([...files, wrong], mode, place.app)).toEqual([
      expect.stringContaining("wrong.mts: Type 'number' is not assignable"),
    ]);
  });
});
