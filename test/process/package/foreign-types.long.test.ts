import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importName, subPaths } from '../../../bin/build/package/sub-paths.js';
import { installedPackage } from '../../support/package/installed-package.js';
import { typeErrors } from '../../support/package/type-errors.js';

/** Each reads all of the SDK's declarations. */
describe('types of a sub-path, with nothing installed that it does not need, those of packages checked', () => {
  it.each(subPaths.map((one) => [importName(one), one.needs] as const))(
    '%s',
    { timeout: 300_000 },
    async (name, needs) => {
      // The SDK's clients for the table come along whenever the package is installed.
      const always = [
        '@types/node',
        '@aws-sdk/client-dynamodb',
        '@aws-sdk/lib-dynamodb',
        '@aws-sdk/util-dynamodb',
      ];
      await using place = await installedPackage([...new Set([...always, ...needs])]);
      // A mistake beside them: the check would see one.
      const [file, wrong] = [join(place.app, 'all.mts'), join(place.app, 'wrong.mts')];
      await writeFile(file, `export * from '${name}';\n`);
      await writeFile(wrong, "import { LockClient } from 'leasehold';\nnew LockClient({ table: 1 });\n");
      expect(typeErrors([file, wrong], 'nodenext', place.app)).toEqual([
        expect.stringContaining("wrong.mts: Type 'number' is not assignable"),
      ]);
    },
  );
});
