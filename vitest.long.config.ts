import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/support/report/summary-reporter.js';
import { builtFirst, shared } from './vitest.config.js';

/** What asks for its size: test/support/size.ts. Properties do so for their number of cases. */
const asksForSize = /support\/(size|property)\.js'/;

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path))
  .filter((path) => path.endsWith('.test.ts'));

/** The long forms: of every test file that has one, and of those that have no short one. */
export default defineConfig({
  test: {
    ...shared,
    globalSetup: builtFirst,
    testTimeout: 400_000,
    env: { ...shared.env, LEASEHOLD_TEST_SIZE: 'long' },
    include: files.filter(
      (path) => path.endsWith('.long.test.ts') || asksForSize.test(readFileSync(path, 'utf8')),
    ),
    pool: 'forks',
    // What was loaded is shared, as in the short form.
    isolate: false,
    maxWorkers: 2,
    reporters: [
      'default',
      new SummaryReporter(),
      ['json', { outputFile: '.leasehold/long-test-results.json' }],
    ],
  },
});
