import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the sources are as plain JavaScript: made once, before all tests (built-first.ts). */
export const compiledDirectory = join(root, '.leasehold', 'compiled');

/**
 * The plain JavaScript of a source file of `lib`, `bin`, `test/support`, `test/chaos` or `test/linear`, for a process that runs it.
 *
 * @param path the source's; absolute
 */
export function compiled(path: string): string {
  return join(compiledDirectory, relative(root, path)).replace(/\.ts$/, '.js');
}
