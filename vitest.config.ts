import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/bundles-first.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The AWS SDK tells every process that it will drop Node 20; once, in the engines field, is enough.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    // Two cores: a file a worker, so that engines and child processes get their share of the machine.
    maxWorkers: 2,
    // The verbose reporter names every skipped test, and why it is; the file is what CI counts from.
    reporters: ['verbose', ['json', { outputFile: '.leasehold/test-results.json' }]],
  },
});
