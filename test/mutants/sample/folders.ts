import type { Suite } from '../../simulation/run/play.js';

/** A folder of code that decides something, and who plays and tests it. */
export interface Folder {
  readonly folder: string;
  /** Suites of the simulator that run this code. */
  readonly suites: readonly Suite[];
  /** Folders of tests in memory. */
  readonly unit: readonly string[];
  /** Folders of tests, or files, on engines of the test's own process. */
  readonly slower: readonly string[];
}

/** All that decides. The first folder that a file lies in counts. */
export const folders: readonly Folder[] = [
  {
    folder: 'lib/lease',
    suites: ['lock', 'hand-over'],
    unit: ['lease', 'clock', 'client', 'errors'],
    slower: ['engine/lease', 'engine/client', 'engine/table'],
  },
  {
    folder: 'lib/client',
    suites: ['lock', 'hand-over'],
    unit: ['client', 'lease', 'errors'],
    slower: ['engine/client', 'engine/lease', 'engine/kit'],
  },
  { folder: 'lib/kit', suites: ['lock'], unit: ['kit'], slower: ['engine/kit'] },
  { folder: 'lib/clock', suites: ['lock'], unit: ['clock', 'lease'], slower: [] },
  {
    folder: 'lib/table/sweep',
    suites: [],
    unit: ['table'],
    slower: ['engine/table/sweep-leases.test.ts', 'process/lambda/sweep-handler.test.ts'],
  },
  {
    folder: 'lib/table',
    suites: ['lock'],
    unit: ['table', 'lease', 'errors', 'aws'],
    slower: ['engine/table', 'engine/lease', 'engine/client', 'process/lambda/sweep-handler.test.ts'],
  },
  { folder: 'lib/fence', suites: ['lock'], unit: ['fence'], slower: ['engine/fence'] },
  {
    folder: 'lib/service-client',
    suites: ['service'],
    unit: ['service', 'client', 'errors'],
    slower: ['engine/service', 'engine/client', 'process/service/transport.test.ts'],
  },
  {
    folder: 'lib/service',
    suites: ['service'],
    unit: ['service', 'lambda'],
    slower: ['engine/service', 'engine/kit'],
  },
  { folder: 'lib/scan', suites: ['scan'], unit: ['scan'], slower: ['engine/scan'] },
  {
    folder: 'lib/lambda',
    suites: ['service'],
    unit: ['lambda', 'scan'],
    slower: [
      'engine/service',
      ...['with-locked-handler', 'sweep-handler', 'proxy'].map((name) => `process/lambda/${name}.test.ts`),
      'process/lambda/observability',
      ...['locked-handler', 'client-options'].map((name) => `process/service/${name}.test.ts`),
    ],
  },
];

/** Where a file belongs. */
export function folderOf(file: string): Folder | undefined {
  return folders.find(({ folder }) => file.startsWith(`${folder}/`));
}
