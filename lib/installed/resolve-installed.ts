import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Where this code is: a file's URL. Absent in a user's bundle of a format that has no such address. */
export const ownAddress: string | undefined = import.meta.url;

/**
 * Where an installed package's file is: as seen from this code, from the program that was started, and from the
 * working directory. A bundled program is in none of the places where packages are looked for, so one is not enough.
 *
 * @param specifier as it would be imported
 * @param from files to look from before all others
 * @returns its path, or `undefined` where it is not installed
 */
export function resolveInstalled(specifier: string, ...from: readonly string[]): string | undefined {
  for (const start of [...from, ownAddress, process.argv[1], join(process.cwd(), 'index.js')]) {
    if (!start) continue;
    try {
      return createRequire(start).resolve(specifier);
    } catch (error) {
      if (!missing.has((error as NodeJS.ErrnoException).code)) throw error;
    }
  }
  return undefined;
}

/** Not there; there, but not that file of it; no place to look from, as a relative path is none. */
const missing: ReadonlySet<unknown> = new Set([
  'MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_INVALID_ARG_VALUE',
]);
