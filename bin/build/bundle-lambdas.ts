/** `npm run bundle`: the functions into `dist/lambda`, with all sizes on standard error; fails when one is too large. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLambdas, clientShare, fits, functionShares, shareLine } from './lambda-bundles.js';

const target = fileURLToPath(new URL('../../dist/lambda', import.meta.url));

const bundles = await bundleLambdas(target);
// What is no more. Not emptied beforehand: a synthesis may be reading at the same time.
for (const name of await readdir(target)) {
  await rm(join(target, name, 'chunks'), { recursive: true, force: true });
  if (name !== 'chunks' && !bundles.some((bundle) => bundle.name === name))
    await rm(join(target, name), { recursive: true });
}

const shares = [...functionShares(bundles), await clientShare()];
for (const share of shares) console.error(shareLine(share));
if (!shares.every(fits)) {
  console.error('Over budget. The budgets, and why, are in bin/build/lambda-bundles.ts');
  process.exitCode = 1;
}
