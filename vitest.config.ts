import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: a file a worker, so that engines and child processes get their share of the machine.
    maxWorkers: 2,
  },
});
