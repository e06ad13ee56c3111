import { relative } from 'node:path';
import { printable } from '../../cli/printable.js';
import type { StartOptions } from '../start-options.js';

/** What is run, in one line: the directory, the engine once it is known, the options. */
export function subtitle(options: StartOptions, engine: string | undefined): string {
  const { seats, slices, pageSize, leaseMs, seed, faults } = options;
  return [
    printable(formatDirectory(options.directory)),
    ...(engine === undefined ? [] : [engine]),
    `${seats} seats`,
    `${slices} slices`,
    `pages of ${pageSize}`,
    `lease ${leaseMs / 1_000} s`,
    faults ? `seed ${seed}` : 'no faults',
  ].join(' · ');
}

/** A directory below the working one without what they share. */
function formatDirectory(directory: string): string {
  const below = relative(process.cwd(), directory);
  return below === '' || below.startsWith('..') ? directory : below;
}
