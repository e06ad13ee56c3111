import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../../simulation/world/random.js';
import { folderOf } from './folders.js';
import { type SmallChange, smallChanges } from './small-change.js';
import { isPossible } from './switches.js';

/** Files that only re-export or declare decide nothing. */
const undecided = /(^|\/)index\.ts$|\.d\.ts$/;

/**
 * Draws small changes at random, each as likely as any other, the same ones for the same seed and sources.
 *
 * @param files from the repository's root
 * @param folder only these; all that decide, if it is left out
 */
export async function drawChanges(
  repository: string,
  files: readonly string[],
  { sample, seed, folder }: { readonly sample: number; readonly seed: number; readonly folder?: string },
): Promise<readonly SmallChange[]> {
  const wanted = files
    .filter((file) => folderOf(file) && !undecided.test(file) && file.startsWith(folder ?? ''))
    .sort();
  const all: SmallChange[] = [];
  const sources = new Map<string, string>();
  for (const file of wanted) {
    const source = await readFile(join(repository, file), 'utf8');
    sources.set(file, source);
    all.push(...smallChanges(file, source));
  }
  const random = new Random(seed);
  const drawn: SmallChange[] = [];
  while (drawn.length < sample && all.length > 0) {
    const [change] = all.splice(random.whole(0, all.length - 1), 1);
    if (await isPossible(sources.get(change!.file)!, change!)) drawn.push(change!);
  }
  return drawn;
}
