import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: a file a worker, so that engines and child processes get their share of the machine.
    maxWorkers: 2,
    // The verbose reporter names every skipped test, and why it is; the file is what CI counts from.
    reporters: ['verbose', ['json', { outputFile: '.leasehold/test-results.json' }]],
  },
});
