import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

let made = 0;

/** Makes one plain script of a fixture, so that many processes can start without a loader. */
export async function bundled(entry: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = join(import.meta.dirname, '..', '..', '.leasehold', `fixture-${process.pid}-${++made}`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'fixture.mjs');
  await build({
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    // The SDK's ES modules, so that what is not used stays out: 50 processes load it.
    mainFields: ['module', 'main'],
    logLevel: 'error',
    // Parts of the SDK are CommonJS and call `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
