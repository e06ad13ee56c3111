import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Which kind comes when: what takes longest first, so that no worker is left alone with it at the end. */
const kinds = ['process', 'engine', 'unit'];

/**
 * Files that take longest, longest first; a name alone is enough. Others follow in the order of their size. None of
 * them is needed: without it the run ends a little later.
 */
const longest = [
  'cli/run-signals',
  // What others wait for that need the packed package.
  'package/packed-package',
  'chaos/short-run',
  'start/start-interrupted',
  'start/start-faults',
  'package/foreign-projects',
  'package/foreign-app',
  'docs/page-code',
  'lambda/custom-processor',
  'lambda/whole-run',
  'cli/scan-interrupted',
  'chaos/interrupted',
  'client/signals',
  'package/public-surface',
  'package/publish-checks',
  'start/run-state-machine',
  'lambda/locked-function',
  'cdk/locked-section-run',
  'scan/cut-off',
  'scan/seats',
  'table/contract',
  'client/five-hundred-leases',
];

/** Kinds one after the other, the one with processes first, and in each the longest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.includes(`/${name}.`));
      return found < 0 ? longest.length : found;
    };
    const kind = ({ moduleId }: TestSpecification) =>
      kinds.findIndex((name) => moduleId.includes(`/test/${name}/`));
    // Sorting keeps the order of what is equal: that of sizes, or of the last run's times.
    return [...(await super.sort(files))].sort((a, b) => kind(a) - kind(b) || place(a) - place(b));
  }
}
