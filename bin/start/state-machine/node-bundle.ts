import type { BuildOptions } from 'esbuild';

/** How everything that runs in an execution environment is bundled, deployed or local: one ESM file, no dependencies. */
export const nodeBundle = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  // The SDK's CommonJS parts call `require` for Node's own modules, which an ESM bundle does not have by itself.
  banner: {
    js: "import { createRequire as leaseholdRequire } from 'node:module'; const require = leaseholdRequire(import.meta.url);",
  },
} satisfies BuildOptions;
