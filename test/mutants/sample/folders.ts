import type { Suite } from '../../simulation/run/play.js';

/** A folder of code that decides something, and who plays and tests it. */
export interface Folder {
  readonly folder: string;
  /** Suites of the simulator that run this code. */
  readonly suites: readonly Suite[];
  /** Folders of tests in memory. */
  readonly unit: readonly string[];
  /** Folders of tests on engines. */
  readonly engine: readonly string[];
}

/** All that decides. The most special folder that a file lies in counts. */
export const folders: readonly Folder[] = [
  {
    folder: 'lib/lease',
    suites: ['lock', 'hand-over'],
    unit: ['lease', 'clock', 'client', 'errors'],
    engine: ['lease', 'client', 'table'],
  },
  {
    folder: 'lib/client',
    suites: ['lock', 'hand-over'],
    unit: ['client', 'lease', 'errors'],
    engine: ['client', 'lease', 'kit'],
  },
  { folder: 'lib/kit', suites: ['lock'], unit: ['kit'], engine: ['kit'] },
  { folder: 'lib/clock', suites: ['lock'], unit: ['clock', 'lease'], engine: ['client'] },
  {
    folder: 'lib/table',
    suites: ['lock'],
    unit: ['table', 'lease', 'errors', 'aws'],
    engine: ['table', 'lease', 'client'],
  },
  { folder: 'lib/fence', suites: ['lock'], unit: ['fence'], engine: ['fence'] },
  {
    folder: 'lib/service-client',
    suites: ['service'],
    unit: ['service', 'client', 'errors'],
    engine: ['service', 'client'],
  },
  { folder: 'lib/service', suites: ['service'], unit: ['service', 'lambda'], engine: ['service', 'kit'] },
  { folder: 'lib/scan', suites: ['scan'], unit: ['scan'], engine: ['scan'] },
  { folder: 'lib/lambda', suites: ['service'], unit: ['lambda', 'scan'], engine: ['service', 'lambda'] },
];

/** Where a file belongs. */
export function folderOf(file: string): Folder | undefined {
  return folders.find(({ folder }) => file.startsWith(`${folder}/`));
}
