import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** A regular file, as the object that it is in a bucket. */
export interface WalkedFile {
  /** Path relative to the directory, with `/`. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Walks a directory in no particular order. It shares nothing with the S3 endpoint, on purpose: what both
 * count the same was counted twice.
 *
 * @returns every regular file below the directory; links are not followed, a running endpoint's unfinished
 *   uploads are left out.
 * @throws whatever the file system throws for the directory itself.
 */
export async function* walkDirectory(directory: string): AsyncGenerator<WalkedFile> {
  yield* walk(directory, '');
}

async function* walk(directory: string, base: string): AsyncGenerator<WalkedFile> {
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    const unfinished = base === '' && entry.name.startsWith('.leasehold-uploads-');
    if (entry.isDirectory() && !unfinished) yield* walk(path, `${base}${entry.name}/`);
    if (!entry.isFile()) continue;
    // Gone in the meantime, or a name that is not UTF-8 and so no key.
    const stats = await lstat(path).catch(() => undefined);
    if (stats) yield { key: base + entry.name, size: stats.size };
  }
}
