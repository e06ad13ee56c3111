import type { Suite } from '../../simulation/run/play.js';

/** A folder of code that decides something, and who plays and tests it, besides all tests in memory. */
export interface Folder {
  readonly folder: string;
  /** Suites of the simulator that run this code. */
  readonly suites: readonly Suite[];
  /** Folders of tests, or files, on engines of the test's own process. */
  readonly slower: readonly string[];
}

/** All that decides. The first folder that a file lies in counts. */
export const folders: readonly Folder[] = [
  {
    folder: 'lib/lease',
    suites: ['lock', 'hand-over'],
    slower: ['engine/lease', 'engine/client', 'engine/table'],
  },
  {
    folder: 'lib/client',
    suites: ['lock', 'hand-over'],
    slower: ['engine/client', 'engine/lease', 'engine/kit'],
  },
  { folder: 'lib/kit', suites: ['lock'], slower: ['engine/kit'] },
  { folder: 'lib/clock', suites: ['lock'], slower: [] },
  {
    folder: 'lib/table/sweep',
    suites: [],
    slower: ['engine/table/sweep-leases.test.ts', 'engine/lambda', 'process/lambda/sweep-handler.test.ts'],
  },
  {
    folder: 'lib/table',
    suites: ['lock'],
    slower: ['engine/table', 'engine/lease', 'engine/client', 'process/lambda/sweep-handler.test.ts'],
  },
  { folder: 'lib/fence', suites: ['lock'], slower: ['engine/fence'] },
  {
    folder: 'lib/service-client',
    suites: ['service'],
    slower: ['engine/service', 'engine/client', 'process/service/transport.test.ts'],
  },
  {
    folder: 'lib/service',
    suites: ['service'],
    slower: ['engine/service', 'engine/kit', 'engine/docs/json-interface.test.ts'],
  },
  {
    folder: 'lib/scan',
    suites: ['scan'],
    slower: [
      'engine/scan',
      'process/lambda/bucket-elsewhere.test.ts',
      'process/lambda/observability/observed-scan.test.ts',
    ],
  },
  {
    folder: 'lib/lambda',
    suites: ['service'],
    slower: [
      'engine/service',
      'engine/lambda',
      ...['with-locked-handler', 'sweep-handler', 'asked-ahead', 'proxy'].map(
        (name) => `process/lambda/${name}.test.ts`,
      ),
      'process/lambda/observability',
      ...['locked-handler', 'client-options'].map((name) => `process/service/${name}.test.ts`),
    ],
  },
];

/** Where a file belongs. */
export function folderOf(file: string): Folder | undefined {
  return folders.find(({ folder }) => file.startsWith(`${folder}/`));
}
