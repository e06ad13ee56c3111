/** `npm run bundle`: the functions into `dist/lambda`, with their sizes on standard error. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLambdas } from './lambda-bundles.js';

const target = fileURLToPath(new URL('../dist/lambda', import.meta.url));

const bundles = await bundleLambdas(target);
for (const { name, bytes } of bundles) console.error(`lambda ${name}: ${Math.ceil(bytes / 1024)} KB`);
// Functions that are no more. Not emptied beforehand: a synthesis may be reading at the same time.
for (const name of await readdir(target)) {
  if (!bundles.some((bundle) => bundle.name === name)) await rm(join(target, name), { recursive: true });
}
