import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { walkDirectory } from '../../../lib/local/index.js';
import { keyDigest } from '../../../lib/scan/index.js';
import type { WalkedKeys } from '../check/scan-result.js';

/** So many, and fewer where faults strike for less than half a minute: the scan that is on then must come to its end. */
const maxFolders = 60;
const foldersAMinute = 120;
const filesEach = 100;
/** Keys that order by bytes and not by UTF-16 units, and such as must be escaped. */
const oddNames = ['\u{1f511} key', 'é', '～', 'a+b %25', 'ﬀ', '日本'];

/**
 * Fills a bucket's directory: folders of very unlike first letters, and odd names.
 *
 * @param minutes how long faults will strike
 */
export async function sowKeys(directory: string, minutes: number): Promise<void> {
  const folders = Math.min(maxFolders, Math.ceil(minutes * foldersAMinute));
  for (let folder = 0; folder < folders; folder++) {
    const path = join(directory, `${String.fromCodePoint(0x61 + (folder % 26))}${folder}`);
    await mkdir(path, { recursive: true });
    const names = Array.from({ length: filesEach }, (_, file) => `object-${file * 37}`);
    await Promise.all([...names, ...oddNames].map((name) => writeFile(join(path, name), '')));
  }
}

/** What is there, counted without the scan. */
export async function walkKeys(directory: string): Promise<WalkedKeys> {
  const keys = new Set<string>();
  const digest = keyDigest();
  for await (const { key } of walkDirectory(directory)) {
    keys.add(key);
    digest.add(key);
  }
  return { keys, digest: digest.hex() };
}
