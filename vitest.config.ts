import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { SummaryReporter } from './test/support/report/summary-reporter.js';

/** What all runs of the tests share. */
export const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What is polled for comes, sooner or later: the machine may do other things.
  expect: { poll: { timeout: 30_000, interval: 20 } },
  // On CI's machine, which may be shared, a test that waits for real processes gets a second chance; the report names it.
  retry: process.env.CI ? 2 : 0,
  env: {
    // The AWS SDK tells every process that it will drop Node 20; once, in the engines field, is enough.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    // CDK's own check of templates takes seconds in every process that synthesizes. The tests that are about it switch
    // it on, and `cdk synth` has it.
    CDK_VALIDATION: 'false',
  },
};

/** Constructs deploy the functions' bundles, local functions and child processes run what is built. */
export const builtFirst = 'test/support/built-first.ts';

/** How a run of more than one kind goes. */
export const inOneRun = {
  // Two cores: one file more than that, since many wait for leases to end, and for child processes.
  maxWorkers: 3,
  sequence: { sequencer: LongestFirst },
  // The file is what CI counts from.
  reporters: ['default', new SummaryReporter(), ['json', { outputFile: '.leasehold/test-results.json' }]],
} satisfies ViteUserConfig['test'];

/** The kinds of tests, told apart by folder. */
const kinds = [
  // In memory: all share what was loaded, the SDK above all, which takes longer than they do.
  { name: 'unit', pool: 'threads', isolate: false },
  // On an engine of this process.
  { name: 'engine', pool: 'forks', isolate: false, globalSetup: builtFirst },
  // With processes of their own.
  { name: 'process', pool: 'forks', isolate: false, globalSetup: builtFirst },
] as const;

export default defineConfig({
  test: {
    projects: kinds.map((kind) => ({
      test: {
        ...shared,
        ...kind,
        include: [`test/${kind.name}/**/*.test.ts`],
        exclude: ['**/*.long.test.ts'],
      },
    })),
    ...inOneRun,
  },
});
