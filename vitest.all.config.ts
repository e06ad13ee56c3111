import { defineConfig } from 'vitest/config';
import { builtFirst, inOneRun, shared } from './vitest.config.js';

/**
 * All kinds at once, as `npm test` runs them: not as projects, each of which would have processes of its own that load the
 * SDK and this package anew.
 */
export default defineConfig({
  test: {
    ...shared,
    ...inOneRun,
    include: ['test/{unit,engine,process}/**/*.test.ts'],
    exclude: ['**/*.long.test.ts'],
    globalSetup: builtFirst,
    pool: 'forks',
    isolate: false,
  },
});
