import { defineConfig } from 'vitest/config';

/**
 * The tests that a mutation run repeats for every mutant: those of pure functions, which need neither an engine nor a
 * process nor real time. One seed, and fewer cases of each property, so that a run can be repeated and comes to an end.
 */
export default defineConfig({
  test: {
    include: [
      'test/unit/clock/**/*.test.ts',
      'test/unit/lease/**/{any-item,requests-in-memory,store-time}.test.ts',
      'test/unit/scan/**/{any-plan,key-order,alphabet,plan-*,planner,tiling}.test.ts',
    ],
    env: {
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      LEASEHOLD_PROPERTY_SEED: '1',
      LEASEHOLD_PROPERTY_CASES: '100',
    },
    // Each mutant gets its tests in the same worker: a new one would load the SDK again, which takes longer than they do.
    isolate: false,
  },
});
