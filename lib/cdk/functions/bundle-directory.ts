import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The functions of a scan. */
export type ScanFunctionName = 'plan' | 'work' | 'verify';

/** A function that comes bundled with the package: a file of `lambda/`. */
export type BundleName = ScanFunctionName | 'lock-service' | 'sweep';

/**
 * Where the bundled handler of a function is: beside this module in the published package, under `dist` in a clone.
 *
 * @throws Error when the bundles were not built
 */
export function bundleDirectory(name: BundleName): string {
  const candidates = [`../../../lambda/${name}/`, `../../../dist/lambda/${name}/`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = candidates.find((directory) => existsSync(`${directory}index.mjs`));
  if (found) return found;
  throw new Error(`The bundle of the ${name} function is not built; run: npm run bundle`);
}
