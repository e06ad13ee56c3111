import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import type { TestPlan } from './test-plan.js';

const plan: TestPlan = JSON.parse(readFileSync(process.env.LEASEHOLD_TEST_PLAN!, 'utf8'));
const isAll = !plan.titles && !plan.turns;
const root = join(import.meta.dirname, '../../..');

/** As the plan has them: the quickest first. */
class AsPlanned extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      plan.files.findIndex((file) => moduleId.endsWith(file));
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

/**
 * The tests of a copy of the sources with switches: all, noting what they reach; those that reach one mutant; or those that
 * reach some, under one after the other.
 */
export default defineConfig({
  root,
  test: {
    include: [...plan.files],
    exclude: ['**/*.long.test.ts'],
    globalSetup: 'test/support/built-first.ts',
    setupFiles: isAll ? ['test/mutants/sample/note-reached.ts'] : [],
    ...(plan.turns && { runner: 'test/mutants/sample/in-turn.ts' }),
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    bail: plan.titles ? 1 : 0,
    // Under load a test may fail by itself: one that notices a mutant does so twice.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: AsPlanned },
    ...(plan.titles && { testNamePattern: new RegExp(plan.titles) }),
    experimental: { fsModuleCache: true },
    passWithNoTests: true,
    reporters: [['json', { outputFile: plan.report }]],
    env: {
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      CDK_VALIDATION: 'false',
      LEASEHOLD_PROPERTY_CASES: '100',
      LEASEHOLD_PROPERTY_SEED: '1',
    },
  },
});
