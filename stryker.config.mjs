// Mutates the pure core and looks whether its tests notice: `npm run mutation`. What survives is in docs/mutation.md.
const reports = '.leasehold/mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  packageManager: 'npm',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: [
    'lib/clock/**/store-clock.ts',
    'lib/lease/**/{conditions,later-conditions,acquire-request,holder-requests,refused-writes,parse-item,lease-context}.ts',
    'lib/scan/**/{key-order,key-middle,cut,alphabet,tiling,planner}.ts',
    'lib/scan/**/plan-*.ts',
  ],
  // What the tests of the pure core load, and no more: the rest would be copied for nothing.
  ignorePatterns: [
    '/*',
    '!/lib',
    '!/test',
    '!/package.json',
    '!/tsconfig.json',
    '!/vitest.mutation.config.ts',
  ],
  concurrency: 2,
  // Loops that a mutant makes endless are noticed by their count. The time is for a machine that is busy.
  timeoutMS: 20_000,
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: `${reports}/incremental.json`,
  tempDirName: `${reports}/sandbox`,
  reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: `${reports}/report.json` },
  htmlReporter: { fileName: `${reports}/report.html` },
  thresholds: { high: 95, low: 90, break: 90 },
};
