import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changed } from '../../simulation/run/bundle.js';
import type { Mutant } from './mutant.js';

/**
 * Whether the texts that mutants replace stand where they should; cheap, so that a change of the code is noticed
 * before anybody hunts.
 *
 * @param root of the repository
 * @returns what is wrong, in words
 */
export async function staleTexts(root: string, mutants: readonly Mutant[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, changes } of mutants) {
    for (const change of changes) {
      try {
        changed(await readFile(join(root, change.file), 'utf8'), change);
      } catch (error) {
        problems.push(`${name}: ${(error as Error).message}`);
      }
    }
  }
  return problems;
}
