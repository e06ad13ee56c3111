import type { Suite } from '../../simulation/run/play.js';

/** A folder of code that decides something, and who plays and tests it. */
export interface Folder {
  readonly folder: string;
  /** Suites of the simulator that run this code. */
  readonly suites: readonly Suite[];
  /** Folders of tests in memory, tried first. */
  readonly unit: readonly string[];
  /** Folders of tests on engines and with processes, tried for survivors only. */
  readonly slower: readonly string[];
}

/** All that decides. The most special folder that a file lies in counts. */
export const folders: readonly Folder[] = [
  {
    folder: 'lib/lease',
    suites: ['lock', 'hand-over'],
    unit: ['test/unit/lease', 'test/unit/clock'],
    slower: ['test/engine/lease', 'test/engine/client'],
  },
  {
    folder: 'lib/client',
    suites: ['lock', 'hand-over'],
    unit: ['test/unit/client', 'test/unit/lease'],
    slower: ['test/engine/client', 'test/engine/lease'],
  },
  { folder: 'lib/kit', suites: [], unit: [], slower: ['test/engine/kit'] },
  {
    folder: 'lib/clock',
    suites: ['lock'],
    unit: ['test/unit/clock', 'test/unit/lease'],
    slower: ['test/engine/client'],
  },
  {
    folder: 'lib/table',
    suites: ['lock'],
    unit: ['test/unit/table', 'test/unit/lease'],
    slower: ['test/engine/table', 'test/engine/client'],
  },
  { folder: 'lib/fence', suites: ['lock'], unit: ['test/unit/fence'], slower: ['test/engine/fence'] },
  {
    folder: 'lib/service-client',
    suites: ['service'],
    unit: ['test/unit/service'],
    slower: ['test/engine/service', 'test/process/service/transport.test.ts'],
  },
  {
    folder: 'lib/service',
    suites: ['service'],
    unit: ['test/unit/service'],
    slower: ['test/engine/service'],
  },
  { folder: 'lib/scan', suites: ['scan'], unit: ['test/unit/scan'], slower: ['test/engine/scan'] },
  {
    folder: 'lib/lambda',
    suites: [],
    unit: ['test/unit/lambda'],
    slower: ['test/process/lambda', 'test/process/service'],
  },
];

/** Where a file belongs. */
export function folderOf(file: string): Folder | undefined {
  return folders.find(({ folder }) => file.startsWith(`${folder}/`));
}
